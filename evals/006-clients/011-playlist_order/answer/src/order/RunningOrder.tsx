// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { usePaginatedQuery } from "convex/react";

import { api } from "../../convex/_generated/api";
import type { Doc } from "../../convex/_generated/dataModel";
import { Row } from "./Row";
import { startTimes } from "./times";
import { Tray } from "./Tray";
import { useTray } from "./useTray";

/** The number of tracks that are shown at first, and with each "More". */
const PAGE = 5;

/** The tracks of a show, from the top, and those that are picked. */
export function RunningOrder({ show }: { show: Doc<"shows"> }) {
  const { results, status, loadMore } = usePaginatedQuery(
    api.tracks.page,
    { show: show._id },
    { initialNumItems: PAGE },
  );
  const { tray, isPicked, isSaving, pick, putBack, dropBelow } = useTray();
  const starts = startTimes(show, results);
  return (
    <>
      <section id="order">
        {status === "LoadingFirstPage" && <p>Loading tracks</p>}
        <ol>
          {results.map((track, index) => (
            <Row
              key={track._id}
              track={track}
              start={starts[index]}
              isPicked={isPicked(track._id)}
              isSaving={isSaving(track._id)}
              onPick={() => pick(track)}
              onDrop={tray.length > 0 ? () => dropBelow(track._id) : undefined}
            />
          ))}
        </ol>
        {status === "CanLoadMore" && <button onClick={() => loadMore(PAGE)}>More</button>}
      </section>
      <Tray tray={tray} onPutBack={putBack} />
    </>
  );
}
