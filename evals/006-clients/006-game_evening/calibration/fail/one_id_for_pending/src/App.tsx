// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation, useQuery } from "convex/react";
import { ConvexError } from "convex/values";
import { useState } from "react";

import { api } from "../convex/_generated/api";
import type { Doc, Id } from "../convex/_generated/dataModel";

type Refusal = { kind: "full"; seats: number } | { kind: "nobody" | "untitled" | "gone" };

export default function App() {
  const games = useQuery(api.games.list);
  const [busy, setBusy] = useState<Id<"games"> | null>(null);
  if (games === undefined) return <p>Loading games</p>;
  return (
    <ul>
      {games.map((game) => (
        <Game
          key={game._id}
          game={game}
          pending={busy === game._id}
          setPending={(pending) => setBusy(pending ? game._id : null)}
        />
      ))}
    </ul>
  );
}

function Game({
  game,
  pending,
  setPending,
}: {
  game: Doc<"games">;
  pending: boolean;
  setPending: (pending: boolean) => void;
}) {
  const join = useMutation(api.games.join);
  const leave = useMutation(api.games.leave);
  const rename = useMutation(api.games.rename);
  const [title, setTitle] = useState("");
  const [refusal, setRefusal] = useState<string | null>(null);

  const change = async (run: () => Promise<unknown>) => {
    setPending(true);
    try {
      await run();
      setRefusal(null);
    } catch (error) {
      setRefusal(explained(error));
    } finally {
      setPending(false);
    }
  };
  const renameIt = async () => {
    await rename({ game: game._id, title });
    setTitle("");
  };

  return (
    <li>
      <p>
        {game.title}: {game.taken} of {game.seats}
      </p>
      <button disabled={pending} onClick={() => void change(() => join({ game: game._id }))}>
        Join
      </button>
      <button disabled={pending} onClick={() => void change(() => leave({ game: game._id }))}>
        Leave
      </button>
      <label>
        New title
        <input value={title} onChange={(event) => setTitle(event.target.value)} />
      </label>
      <button disabled={pending} onClick={() => void change(renameIt)}>
        Rename
      </button>
      {refusal !== null && <p role="alert">{refusal}</p>}
    </li>
  );
}

function explained(error: unknown): string {
  if (!(error instanceof ConvexError)) return "Something went wrong.";
  const refusal = error.data as Refusal;
  switch (refusal.kind) {
    case "full":
      return `All ${refusal.seats} seats are taken.`;
    case "nobody":
      return "Nobody sits here.";
    case "untitled":
      return "Give it a title.";
    case "gone":
      return "This game is over.";
  }
}
