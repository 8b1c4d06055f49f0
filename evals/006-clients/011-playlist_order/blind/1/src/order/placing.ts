// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { OptimisticLocalStore } from "convex/browser";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { STEP } from "../../convex/lib/positions";

type Track = Doc<"tracks">;

/** Compares tracks of a show by their places, as the server does. */
function byPlace(one: Track, other: Track): number {
  if (one.position !== other.position) return one.position - other.position;
  if (one._creationTime !== other._creationTime) return one._creationTime - other._creationTime;
  if (one._id === other._id) return 0;
  return one._id < other._id ? -1 : 1;
}

/**
 * Changes all that is loaded as the server will change it when it moves a track. A move that the
 * server will refuse changes nothing.
 *
 * The pages that are loaded reach from the top to a fixed place, that of the track that was last when
 * the last page was loaded. `end` is this track, as it was then. What is moved to a place below is
 * not loaded any more.
 */
export function showMove(
  store: OptimisticLocalStore,
  { track: id, below }: { track: Id<"tracks">; below: Id<"tracks"> },
  picked: Track,
  end: Track | null,
): void {
  const { show } = picked;
  const watched = store.getQuery(api.tracks.get, { track: id });
  if (watched === null) return;
  if (store.getQuery(api.shows.get, { show })?.isFrozen) return;

  const pages = store
    .getAllQueries(api.tracks.page)
    .flatMap(({ args, value }) =>
      value !== undefined && args.show === show ? [{ args, value }] : [],
    );
  const loaded = pages.flatMap(({ value }) => value.page);
  const first = store.getQuery(api.tracks.next, { show });
  const known = new Map<Id<"tracks">, Track>();
  for (const { value } of store.getAllQueries(api.tracks.get)) {
    if (value && value.show === show) known.set(value._id, value);
  }
  if (first) known.set(first._id, first);
  for (const track of loaded) known.set(track._id, track);

  const track = known.get(id) ?? picked;
  const above = known.get(below);
  if (above === undefined || track.isPlayed) return;
  const others = [...known.values()].filter(({ _id }) => _id !== id).sort(byPlace);
  const next = others.find(({ position }) => position > above.position);
  if (next?.isPlayed) return;

  const isWhole = pages.some(({ value }) => value.isDone);
  const bound = (end === null ? [...loaded] : [...loaded, end]).sort(byPlace).pop() ?? above;
  let position: number;
  if (next !== undefined && (isWhole || loaded.some(({ _id }) => _id === next._id))) {
    position = (above.position + next.position) / 2;
  } else if (isWhole) {
    position = above.position + STEP;
  } else {
    // The track below is not loaded. It is likely to stand as far away as it was when it was added.
    const likely = Math.max(above.position, bound.position) + STEP;
    const nextPosition = next === undefined ? likely : Math.min(likely, next.position);
    // Tracks above the first one that was not played were played.
    if (above.isPlayed && first && nextPosition < first.position) return;
    position = (above.position + nextPosition) / 2;
  }

  const moved = { ...track, position };
  const isLoaded = isWhole || byPlace(moved, bound) <= 0;
  for (const { args, value } of pages) {
    const rest = value.page.filter(({ _id }) => _id !== id);
    const isHere = isLoaded && rest.some(({ _id }) => _id === below);
    if (!isHere && rest.length === value.page.length) continue;
    const page = isHere ? [...rest, moved].sort(byPlace) : rest;
    store.setQuery(api.tracks.page, args, { ...value, page });
  }
  if (watched !== undefined) store.setQuery(api.tracks.get, { track: id }, moved);
  if (first !== undefined) {
    const unplayed = [...others, moved].sort(byPlace).find(({ isPlayed }) => !isPlayed);
    store.setQuery(api.tracks.next, { show }, unplayed ?? null);
  }
}
