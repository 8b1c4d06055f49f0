// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";
import type { FunctionArgs } from "convex/server";
import { useState } from "react";

import { api } from "../convex/_generated/api";

type Line = FunctionArgs<typeof api.crossings.ofLine>["line"];

export default function App() {
  const [line, setLine] = useState<Line>("north");
  return (
    <>
      <label htmlFor="line">Line</label>
      <select
        id="line"
        value={line}
        onChange={(event) => setLine(event.currentTarget.value === "south" ? "south" : "north")}
      >
        <option value="north">north</option>
        <option value="south">south</option>
      </select>
      <Page key={line} line={line} cursor={null} />
    </>
  );
}

/** Five crossings, and below them the button for the next five, or these. */
function Page({ line, cursor }: { line: Line; cursor: string | null }) {
  const answer = useQuery(api.crossings.ofLine, { line, paginationOpts: { cursor, numItems: 5 } });
  const [next, setNext] = useState<string | null>(null);
  const isFirst = cursor === null;

  if (!answer) return isFirst ? <em>Loading crossings</em> : <em>Loading more</em>;
  const { page, isDone, continueCursor } = answer;
  if (isFirst && isDone && page.length === 0) return <em>No crossings yet</em>;
  return (
    <>
      <ul>
        {page.map(({ _id, ship, cars }) => (
          <li key={_id}>{`${ship}, ${cars} cars`}</li>
        ))}
      </ul>
      {isDone ? (
        <div>That is all</div>
      ) : next === null ? (
        <button onClick={() => setNext(continueCursor)}>Earlier crossings</button>
      ) : (
        <Page line={line} cursor={next} />
      )}
    </>
  );
}
