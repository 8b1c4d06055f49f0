// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation, useQuery } from "convex/react";
import type { FunctionReturnType } from "convex/server";
import { ConvexError } from "convex/values";
import { useState } from "react";

import { api } from "../convex/_generated/api";
import type { Id } from "../convex/_generated/dataModel";

type Choirs = FunctionReturnType<typeof api.choirs.list>;

function App() {
  const choirs = useQuery(api.choirs.list);
  const [index, setIndex] = useState(-1);
  const chosen = choirs?.[index];
  return (
    <>
      <label htmlFor="choir">Choir</label>
      <Choice choirs={choirs ?? []} index={index} onChoose={setIndex} />
      {chosen ? <Pieces key={chosen._id} choir={chosen._id} /> : "Choose a choir"}
    </>
  );
}

function Choice(props: { choirs: Choirs; index: number; onChoose: (index: number) => void }) {
  return (
    <select
      id="choir"
      value={props.index}
      onChange={(event) => props.onChoose(Number(event.currentTarget.value))}
    >
      <option value={-1}>None</option>
      {props.choirs.map(({ _id, name }, index) => (
        <option key={_id} value={index}>
          {name}
        </option>
      ))}
    </select>
  );
}

function Pieces({ choir }: { choir: Id<"choirs"> }) {
  const pieces = useQuery(api.pieces.ofChoir, { choir });
  const [alert, setAlert] = useState("");
  const setLearned = useMutation(api.pieces.setLearned).withOptimisticUpdate((store, change) => {
    const known = store.getQuery(api.pieces.ofChoir, { choir });
    if (!known) return;
    const next = [...known];
    const at = next.findIndex((piece) => piece._id === change.piece);
    const old = next[at];
    if (old) next[at] = { ...old, learned: change.learned };
    store.setQuery(api.pieces.ofChoir, { choir }, next);
  });

  if (!pieces) return <em>Loading pieces</em>;
  return (
    <div>
      {alert && <div role="alert">{alert}</div>}
      {pieces.map(({ _id, title, learned }) => (
        <div key={_id}>
          <input
            id={_id}
            type="checkbox"
            checked={learned}
            onChange={() => {
              setLearned({ piece: _id, learned: !learned }).then(
                () => setAlert(""),
                (error: unknown) => {
                  setAlert(error instanceof ConvexError ? (error.data as string) : "Failed");
                },
              );
            }}
          />
          <label htmlFor={_id}>{title}</label>
        </div>
      ))}
      {`${pieces.reduce((sum, piece) => sum + (piece.learned ? 1 : 0), 0)} of ${pieces.length} learned`}
    </div>
  );
}

export default App;
