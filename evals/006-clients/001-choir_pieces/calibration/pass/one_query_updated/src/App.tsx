// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useConvex, useQuery } from "convex/react";
import { ConvexError } from "convex/values";
import { useState } from "react";

import { api } from "../convex/_generated/api";
import type { Doc, Id } from "../convex/_generated/dataModel";

export default function App() {
  const convex = useConvex();
  const choirs = useQuery(api.choirs.list);
  const [choir, setChoir] = useState<Id<"choirs">>();
  const [alert, setAlert] = useState<string>();
  const pieces = useQuery(api.pieces.ofChoir, choir ? { choir } : "skip");

  async function toggle(piece: Doc<"pieces">) {
    const change = { piece: piece._id, learned: !piece.learned };
    try {
      await convex.mutation(api.pieces.setLearned, change, {
        optimisticUpdate: (store) => {
          const args = { choir: piece.choir };
          const known = store.getQuery(api.pieces.ofChoir, args);
          store.setQuery(
            api.pieces.ofChoir,
            args,
            known?.map((each) =>
              each._id === change.piece ? { ...each, learned: change.learned } : each,
            ),
          );
        },
      });
      setAlert(undefined);
    } catch (error) {
      setAlert(error instanceof ConvexError ? (error.data as string) : "It was not stored.");
    }
  }

  return (
    <>
      <label>
        Choir{" "}
        <select
          value={choir ?? "none"}
          onChange={({ target }) =>
            setChoir(choirs?.find(({ _id }) => _id === target.value)?._id)
          }
        >
          <option value="none">None</option>
          {choirs?.map(({ _id, name }) => (
            <option key={_id} value={_id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {alert !== undefined && <div role="alert">{alert}</div>}
      {choir === undefined && <p>Choose a choir</p>}
      {choir !== undefined && pieces === undefined && <p>Loading pieces</p>}
      {pieces && (
        <>
          <ol>
            {pieces.map((piece) => (
              <li key={piece._id}>
                <input
                  type="checkbox"
                  aria-label={piece.title}
                  checked={piece.learned}
                  onChange={() => void toggle(piece)}
                />
                {piece.title}
              </li>
            ))}
          </ol>
          <p>
            {`${pieces.filter(({ learned }) => learned).length} of ${pieces.length} learned`}
          </p>
        </>
      )}
    </>
  );
}
