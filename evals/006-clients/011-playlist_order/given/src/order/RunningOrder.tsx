// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { usePaginatedQuery } from "convex/react";

import { api } from "../../convex/_generated/api";
import type { Doc } from "../../convex/_generated/dataModel";
import { Row } from "./Row";
import { startTimes } from "./times";

/** The number of tracks that are shown at first, and with each "More". */
const PAGE = 5;

/** The tracks of a show, from the top. */
export function RunningOrder({ show }: { show: Doc<"shows"> }) {
  const { results, status, loadMore } = usePaginatedQuery(
    api.tracks.page,
    { show: show._id },
    { initialNumItems: PAGE },
  );
  const starts = startTimes(show, results);
  return (
    <section id="order">
      {status === "LoadingFirstPage" && <p>Loading tracks</p>}
      <ol>
        {results.map((track, index) => (
          <Row
            key={track._id}
            track={track}
            start={starts[index]}
            twoAbove={results[index - 2]}
            below={results[index + 1]}
          />
        ))}
      </ol>
      {status === "CanLoadMore" && <button onClick={() => loadMore(PAGE)}>More</button>}
    </section>
  );
}
