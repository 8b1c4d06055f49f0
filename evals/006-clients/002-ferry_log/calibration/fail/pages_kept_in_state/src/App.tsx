// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useConvex } from "convex/react";
import { useCallback, useEffect, useState } from "react";

import { api } from "../convex/_generated/api";
import type { Doc } from "../convex/_generated/dataModel";

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
      <Crossings key={line} line={line} />
    </main>
  );
}

function Crossings({ line }: { line: Line }) {
  const convex = useConvex();
  const [results, setResults] = useState<Doc<"crossings">[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  const [status, setStatus] = useState("LoadingFirstPage");
  const load = useCallback(
    async (from: string | null) => {
      const paginationOpts = { numItems: PAGE, cursor: from };
      const next = await convex.query(api.crossings.ofLine, { line, paginationOpts });
      setResults((before) => [...before, ...next.page]);
      setCursor(next.continueCursor);
      setStatus(next.isDone ? "Exhausted" : "CanLoadMore");
    },
    [convex, line],
  );
  useEffect(() => void load(null), [load]);
  const loadMore = () => {
    setStatus("LoadingMore");
    void load(cursor);
  };

  if (status === "LoadingFirstPage") return <p>Loading crossings</p>;
  if (status === "Exhausted" && results.length === 0) return <p>No crossings yet</p>;
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
        <button type="button" onClick={() => loadMore()}>
          Earlier crossings
        </button>
      )}
      {status === "LoadingMore" && <p>Loading more</p>}
      {status === "Exhausted" && <p>That is all</p>}
    </section>
  );
}
