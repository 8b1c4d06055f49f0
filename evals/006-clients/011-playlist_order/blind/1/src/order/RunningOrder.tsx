// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { usePaginatedQuery } from "convex/react";
import { useEffect, useRef } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc } from "../../convex/_generated/dataModel";
import { Row } from "./Row";
import { startTimes } from "./times";
import { Tray } from "./Tray";
import { useTray } from "./useTray";
import { Watch } from "./Watch";

/** The number of tracks that are shown at first, and with each "More". */
const PAGE = 5;

/** The tracks of a show, from the top, and the tray. */
export function RunningOrder({ show }: { show: Doc<"shows"> }) {
  const { results, status, loadMore } = usePaginatedQuery(
    api.tracks.page,
    { show: show._id },
    { initialNumItems: PAGE },
  );

  // The pages end for good where the last track was when the last page was loaded.
  const end = useRef<Doc<"tracks"> | null>(null);
  const lastStatus = useRef("");
  useEffect(() => {
    const isNew = status === "CanLoadMore" && lastStatus.current !== status;
    if (isNew) end.current = results[results.length - 1] ?? null;
    lastStatus.current = status;
  }, [status, results]);

  const { tray, moving, pick, putBack, drop, dispatch } = useTray(end);
  const picked = new Set(tray.map(({ track }) => track._id));
  const watched = [...new Set([...picked, ...moving])];
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
              isPicked={picked.has(track._id)}
              isSaving={moving.includes(track._id)}
              canDrop={tray.length > 0}
              onPick={() => pick(track)}
              onDrop={() => drop(track._id)}
            />
          ))}
        </ol>
        {status === "CanLoadMore" && <button onClick={() => loadMore(PAGE)}>More</button>}
      </section>
      <Tray tray={tray} onPutBack={putBack} />
      {watched.map((track) => (
        <Watch key={track} track={track} dispatch={dispatch} />
      ))}
    </>
  );
}
