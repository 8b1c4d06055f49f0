// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { usePaginatedQuery } from "convex/react";
import { useState } from "react";

import { api } from "../convex/_generated/api";

const PAGE = 5;
const LINES = ["north", "south"] as const;

type Line = (typeof LINES)[number];

export default function App() {
  const [line, setLine] = useState<Line>("north");

  return (
    <main>
      <label>
        Line
        <select
          value={line}
          onChange={(event) => {
            const { value } = event.target;
            setLine(LINES.find((one) => one === value) ?? "north");
          }}
        >
          {LINES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <Crossings line={line} />
    </main>
  );
}

function Crossings({ line }: { line: Line }) {
  const { results, status, loadMore } = usePaginatedQuery(
    api.crossings.ofLine,
    { line },
    { initialNumItems: PAGE },
  );

  if (results.length === 0) return <p>No crossings yet</p>;
  return (
    <section>
      <ul>
        {results.map((crossing) => (
          <li key={crossing._id}>
            {crossing.ship}, {crossing.cars} cars
          </li>
        ))}
      </ul>
      {status === "CanLoadMore" && (
        <button type="button" onClick={() => loadMore(PAGE)}>
          Earlier crossings
        </button>
      )}
      {status === "LoadingMore" && <p>Loading more</p>}
      {status === "Exhausted" && <p>That is all</p>}
    </section>
  );
}
