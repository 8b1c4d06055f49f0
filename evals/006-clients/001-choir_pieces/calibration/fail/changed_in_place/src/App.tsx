// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation, useQuery } from "convex/react";
import { ConvexError } from "convex/values";
import { useState } from "react";

import { api } from "../convex/_generated/api";
import type { Doc, Id } from "../convex/_generated/dataModel";

export default function App() {
  const choirs = useQuery(api.choirs.list) ?? [];
  const [chosen, setChosen] = useState<Id<"choirs"> | null>(null);
  const pieces = useQuery(api.pieces.ofChoir, chosen === null ? "skip" : { choir: chosen });

  return (
    <main>
      <label>
        Choir
        <select
          value={chosen ?? ""}
          onChange={(event) => {
            const { value } = event.target;
            setChosen(choirs.find((choir) => choir._id === value)?._id ?? null);
          }}
        >
          <option value="">None</option>
          {choirs.map((choir) => (
            <option key={choir._id} value={choir._id}>
              {choir.name}
            </option>
          ))}
        </select>
      </label>
      {chosen === null ? (
        <p>Choose a choir</p>
      ) : pieces === undefined ? (
        <p>Loading pieces</p>
      ) : (
        <Pieces pieces={pieces} />
      )}
    </main>
  );
}

function Pieces({ pieces }: { pieces: Doc<"pieces">[] }) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const setLearned = useMutation(api.pieces.setLearned).withOptimisticUpdate(
    (store, { piece, learned }) => {
      for (const { args, value } of store.getAllQueries(api.pieces.ofChoir)) {
        if (value === undefined) continue;
        const found = value.find((one) => one._id === piece);
        if (found) found.learned = learned;
        store.setQuery(api.pieces.ofChoir, args, [...value]);
      }
    },
  );

  const toggle = async (piece: Doc<"pieces">) => {
    try {
      await setLearned({ piece: piece._id, learned: !piece.learned });
      setRefusal(null);
    } catch (error) {
      setRefusal(error instanceof ConvexError ? String(error.data) : "Something went wrong.");
    }
  };

  return (
    <section>
      <p>
        {pieces.filter((piece) => piece.learned).length} of {pieces.length} learned
      </p>
      {refusal !== null && <p role="alert">{refusal}</p>}
      <ul>
        {pieces.map((piece) => (
          <li key={piece._id}>
            <label>
              <input type="checkbox" checked={piece.learned} onChange={() => void toggle(piece)} />
              {piece.title}
            </label>
          </li>
        ))}
      </ul>
    </section>
  );
}
