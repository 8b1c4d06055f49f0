// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useConvex, useQuery } from "convex/react";
import { ConvexError } from "convex/values";
import { useState } from "react";

import { api } from "../convex/_generated/api";
import type { Id } from "../convex/_generated/dataModel";

type Game = Id<"games">;

function App() {
  const convex = useConvex();
  const games = useQuery(api.games.list, {});
  const [titles, setTitles] = useState<Record<Game, string>>({});
  const [busy, setBusy] = useState<ReadonlySet<Game>>(new Set());
  const [alerts, setAlerts] = useState<ReadonlyMap<Game, string>>(new Map());

  function change(game: Game, run: Promise<unknown>, done?: () => void) {
    setBusy((before) => new Set(before).add(game));
    run
      .then(
        () => {
          setAlerts((before) => new Map([...before].filter(([of]) => of !== game)));
          done?.();
        },
        (error: unknown) => setAlerts((before) => new Map(before).set(game, said(error))),
      )
      .finally(() => setBusy((before) => new Set([...before].filter((one) => one !== game))));
  }

  if (!games) return <>Loading games</>;
  return (
    <ol>
      {games.map(({ _id: game, title, seats, taken }) => (
        <li key={game}>
          <h2>{`${title}: ${taken} of ${seats}`}</h2>
          {alerts.has(game) && <div role="alert">{alerts.get(game)}</div>}
          <form
            onSubmit={(event) => {
              event.preventDefault();
              const wanted = titles[game] ?? "";
              change(game, convex.mutation(api.games.rename, { game, title: wanted }), () =>
                setTitles((before) => ({ ...before, [game]: "" })),
              );
            }}
          >
            <label htmlFor={game}>New title</label>
            <input
              id={game}
              value={titles[game] ?? ""}
              onChange={({ target }) => setTitles((before) => ({ ...before, [game]: target.value }))}
            />
            <button disabled={busy.has(game)}>Rename</button>
          </form>
          <button
            disabled={busy.has(game)}
            onClick={() => change(game, convex.mutation(api.games.join, { game }))}
          >
            Join
          </button>
          <button
            disabled={busy.has(game)}
            onClick={() => change(game, convex.mutation(api.games.leave, { game }))}
          >
            Leave
          </button>
        </li>
      ))}
    </ol>
  );
}

function said(error: unknown): string {
  const data: unknown = error instanceof ConvexError ? error.data : null;
  if (typeof data !== "object" || data === null || !("kind" in data)) return "Not done.";
  if (data.kind === "full" && "seats" in data) return `All ${String(data.seats)} seats are taken.`;
  if (data.kind === "nobody") return "Nobody sits here.";
  return data.kind === "untitled" ? "Give it a title." : "This game is over.";
}

export default App;
