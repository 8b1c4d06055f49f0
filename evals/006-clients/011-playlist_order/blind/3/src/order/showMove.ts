// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { OptimisticLocalStore } from "convex/browser";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { STEP } from "../../convex/lib/positions";

type Track = Doc<"tracks">;

/** A place in the order, as the server compares them. */
export type Place = Pick<Track, "position" | "_creationTime" | "_id">;

function comparePlaces(a: Place, b: Place): number {
  if (a.position !== b.position) return a.position - b.position;
  if (a._creationTime !== b._creationTime) return a._creationTime - b._creationTime;
  if (a._id === b._id) return 0;
  return a._id < b._id ? -1 : 1;
}

/**
 * Shows a move in all loaded queries as the server will carry it out. `picked` is the track as it was
 * when it was picked. `loadedEnd` is the place up to which tracks are loaded, unless all are: what is
 * moved behind it is not on the page any more.
 */
export function showMove(
  store: OptimisticLocalStore,
  { track: id, below }: { track: Id<"tracks">; below: Id<"tracks"> },
  picked: Track,
  loadedEnd: Place | null,
): void {
  const { show } = picked;
  const pages = store
    .getAllQueries(api.tracks.page)
    .flatMap(({ args, value }) =>
      value !== undefined && args.show === show ? [{ args, value }] : [],
    );
  const upcoming = store.getQuery(api.tracks.next, { show });

  const known = new Map<Id<"tracks">, Track>();
  if (upcoming) known.set(upcoming._id, upcoming);
  for (const { value } of store.getAllQueries(api.tracks.get)) {
    if (value && value.show === show) known.set(value._id, value);
  }
  for (const { value } of pages) {
    for (const track of value.page) known.set(track._id, track);
  }

  const own = store.getQuery(api.tracks.get, { track: id });
  const track = known.get(id) ?? picked;
  const above = known.get(below);
  // What will be refused is not shown.
  if (own === null || above === undefined || track.isPlayed) return;
  known.delete(id);
  const next = first([...known.values()].filter(({ position }) => position > above.position));
  if (next?.isPlayed) return;

  const open = pages.find(
    ({ value }) =>
      !value.isDone &&
      !pages.some(({ args }) => args.paginationOpts.cursor === value.continueCursor),
  );
  const end = open === undefined ? null : (loadedEnd ?? open.value.page.at(-1) ?? null);
  const moved = { ...track, position: positionBelow(above, next, end) };
  const isLoaded = end === null || comparePlaces(moved, end) <= 0;

  for (const { args, value } of pages) {
    const page = value.page.filter(({ _id }) => _id !== id);
    if (isLoaded && page.some(({ _id }) => _id === below)) {
      const index = page.findIndex((other) => comparePlaces(other, moved) > 0);
      page.splice(index === -1 ? page.length : index, 0, moved);
    } else if (page.length === value.page.length) {
      continue;
    }
    store.setQuery(api.tracks.page, args, { ...value, page });
  }
  if (own !== undefined) store.setQuery(api.tracks.get, { track: id }, moved);
  if (upcoming) {
    const unplayed = [...known.values(), moved].filter(({ isPlayed }) => !isPlayed);
    store.setQuery(api.tracks.next, { show }, first(unplayed) ?? null);
  }
}

function first(tracks: Track[]): Track | undefined {
  return tracks.sort(comparePlaces).at(0);
}

function positionBelow(above: Track, next: Track | undefined, end: Place | null): number {
  if (end === null || (next !== undefined && comparePlaces(next, end) <= 0)) {
    return next ? (above.position + next.position) / 2 : above.position + STEP;
  }
  // What comes next need not be known. It stands behind what is loaded, as a rule by one step.
  const guess = Math.max(above.position, end.position) + STEP;
  return (above.position + Math.min(next?.position ?? guess, guess)) / 2;
}
