// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { usePaginatedQuery } from "convex/react";
import { useState } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc } from "../../convex/_generated/dataModel";
import { compareTracks } from "./moves";
import { Row } from "./Row";
import { startTimes } from "./times";
import { TrayList } from "./TrayList";
import { useTray } from "./useTray";

/** The number of tracks that are shown at first, and with each "More". */
const PAGE = 5;

/** The tracks of a show, from the top, and the tray. */
export function RunningOrder({ show }: { show: Doc<"shows"> }) {
  const { results, status, loadMore } = usePaginatedQuery(
    api.tracks.page,
    { show: show._id },
    { initialNumItems: PAGE },
  );
  // What is loaded ends here, also after the track that stood here has gone elsewhere.
  const [lowestSeen, setLowestSeen] = useState<Doc<"tracks"> | null>(null);
  const last = results.at(-1);
  if (last !== undefined && (lowestSeen === null || compareTracks(lowestSeen, last) < 0)) {
    setLowestSeen(last);
  }
  const { tray, isPicked, isSaving, pick, putBack, drop } = useTray(show._id, lowestSeen);
  const starts = startTimes(show, results);
  return (
    <>
      <TrayList tray={tray} onPutBack={putBack} />
      <section id="order">
        {status === "LoadingFirstPage" && <p>Loading tracks</p>}
        <ol>
          {results.map((track, index) => (
            <Row
              key={track._id}
              track={track}
              start={starts[index]}
              isSaving={isSaving(track._id)}
              isPicked={isPicked(track._id)}
              canDrop={tray.length > 0}
              onPick={() => {
                pick(track);
              }}
              onDrop={() => {
                drop(track._id);
              }}
            />
          ))}
        </ol>
        {status === "CanLoadMore" && <button onClick={() => loadMore(PAGE)}>More</button>}
      </section>
    </>
  );
}
