// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { usePaginatedQuery } from "convex/react";
import { useEffect, useRef, useState } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc } from "../../convex/_generated/dataModel";
import { Row } from "./Row";
import type { Place } from "./showMove";
import { startTimes } from "./times";
import { Tray } from "./Tray";
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

  // What is loaded ends for good where its last track stood when it was loaded.
  const [loads, setLoads] = useState(1);
  const seenLoads = useRef(0);
  const loadedEnd = useRef<Place | null>(null);
  useEffect(() => {
    if (status !== "CanLoadMore" || seenLoads.current === loads) return;
    seenLoads.current = loads;
    loadedEnd.current = results.at(-1) ?? null;
  }, [status, loads, results]);

  const { tray, pick, putBack, drop, isPicked, isSaving } = useTray(loadedEnd);
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
              canDrop={tray.length > 0}
              onPick={() => pick(track)}
              onDrop={() => drop(track._id)}
            />
          ))}
        </ol>
        {status === "CanLoadMore" && (
          <button
            onClick={() => {
              setLoads(loads + 1);
              loadMore(PAGE);
            }}
          >
            More
          </button>
        )}
      </section>
      <Tray tray={tray} onPutBack={putBack} />
    </>
  );
}
