// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { usePaginatedQuery, type PaginatedQueryItem } from "convex/react";
import { useState, type ReactNode } from "react";

import { api } from "../convex/_generated/api";

type Crossing = PaginatedQueryItem<typeof api.crossings.ofLine>;

const App = () => {
  const [line, setLine] = useState<Crossing["line"]>("north");
  const log = usePaginatedQuery(api.crossings.ofLine, { line }, { initialNumItems: 5 });

  return (
    <div>
      <select
        aria-label="Line"
        value={line}
        onChange={({ target }) => setLine(target.value as Crossing["line"])}
      >
        <option>north</option>
        <option>south</option>
      </select>
      {log.results.length > 0 && <ul>{log.results.map(entry)}</ul>}
      {foot(log.status, log.results.length === 0, () => log.loadMore(5))}
    </div>
  );
};

function entry(crossing: Crossing): ReactNode {
  return <li key={crossing._id}>{[crossing.ship, `${crossing.cars} cars`].join(", ")}</li>;
}

function foot(
  status: ReturnType<typeof usePaginatedQuery>["status"],
  isEmpty: boolean,
  more: () => void,
): ReactNode {
  switch (status) {
    case "LoadingFirstPage":
      return "Loading crossings";
    case "LoadingMore":
      return "Loading more";
    case "CanLoadMore":
      return <button onClick={more}>Earlier crossings</button>;
    case "Exhausted":
      return isEmpty ? "No crossings yet" : "That is all";
  }
}

export default App;
