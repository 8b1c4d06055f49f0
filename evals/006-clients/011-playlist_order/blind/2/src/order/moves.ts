// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { OptimisticLocalStore } from "convex/browser";
import type { FunctionArgs } from "convex/server";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { STEP } from "../../convex/lib/positions";

type Track = Doc<"tracks">;

/** Which of two tracks of a show stands above the other. */
export function compareTracks(one: Track, other: Track): number {
  const difference = one.position - other.position || one._creationTime - other._creationTime;
  if (difference !== 0) return difference;
  return one._id < other._id ? -1 : Number(one._id > other._id);
}

const inOrder = (tracks: Track[]): Track[] => [...tracks].sort(compareTracks);

/**
 * Shows a move as the server will carry it out, in all queries. A move that the server will refuse
 * shows nothing.
 *
 * The loaded pages keep the ranges that they had when they were loaded: what is moved beyond their end
 * is not on them. The end is where the lowest track stood that was ever seen on them.
 */
export function showMove(
  store: OptimisticLocalStore,
  { track: id, below }: FunctionArgs<typeof api.tracks.move>,
  show: Id<"shows">,
  lowestSeen: Track | null,
): void {
  if (store.getQuery(api.shows.get, { show })?.isFrozen) return;
  const pages = store
    .getAllQueries(api.tracks.page)
    .flatMap(({ args, value }) =>
      value !== undefined && args.show === show ? [{ args, value }] : [],
    );
  const order = inOrder(pages.flatMap(({ value }) => value.page));
  const isLoadedToEnd = pages.some(({ value }) => value.isDone);
  const find = (wanted: Id<"tracks">) =>
    order.find(({ _id }) => _id === wanted) ?? store.getQuery(api.tracks.get, { track: wanted });

  const track = find(id);
  const above = find(below);
  if (!track || track.isPlayed || !above || above.show !== show || id === below) return;
  const others = order.filter(({ _id }) => _id !== id);
  const next = others.find(({ position }) => position > above.position);
  if (next?.isPlayed) return;

  const end = inOrder([...order.slice(-1), ...(lowestSeen === null ? [] : [lowestSeen])]).at(-1);
  let position = above.position + STEP;
  if (next !== undefined) {
    position = (above.position + next.position) / 2;
  } else if (!isLoadedToEnd && end !== undefined) {
    // The first track that is not loaded is not known; mostly it stands one step below the end.
    position = (above.position + Math.max(above.position, end.position) + STEP) / 2;
  }
  const moved = { ...track, position };
  const isOnPages = isLoadedToEnd || (end !== undefined && compareTracks(moved, end) <= 0);

  for (const { args, value } of pages) {
    const rest = value.page.filter(({ _id }) => _id !== id);
    const isHere = isOnPages && rest.some(({ _id }) => _id === below);
    if (!isHere && rest.length === value.page.length) continue;
    const page = isHere ? inOrder([...rest, moved]) : rest;
    store.setQuery(api.tracks.page, args, { ...value, page });
  }

  if (store.getQuery(api.tracks.get, { track: id }) !== undefined) {
    store.setQuery(api.tracks.get, { track: id }, moved);
  }

  if (store.getQuery(api.tracks.next, { show }) === undefined) return;
  const after = isOnPages ? inOrder([...others, moved]) : others;
  const first = after.find(({ isPlayed }) => !isPlayed);
  if (first !== undefined) {
    store.setQuery(api.tracks.next, { show }, first);
  } else if (order.some(({ _id }) => _id === below)) {
    // All that is loaded was played, and the track comes directly below it.
    store.setQuery(api.tracks.next, { show }, moved);
  }
}
