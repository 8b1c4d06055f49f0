// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { OptimisticLocalStore } from "convex/browser";
import type { FunctionArgs } from "convex/server";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";

type Page = ReturnType<typeof loadedPages>[number];

/** Shows a track directly below another one, in all loaded queries. */
export function showMove(
  store: OptimisticLocalStore,
  { track: id, below }: FunctionArgs<typeof api.tracks.move>,
) {
  const track = findTrack(store, id);
  if (track === undefined || id === below) return;
  for (const { args, value } of loadedPages(store)) {
    const rest = value.page.filter(({ _id }) => _id !== id);
    if (rest.length < value.page.length) {
      store.setQuery(api.tracks.page, args, { ...value, page: rest });
    }
  }

  const place = findPlace(pagesOf(store, track.show), below);
  if (place !== undefined) {
    const { args, value } = place.at;
    const page = [...value.page.slice(0, place.index), track, ...value.page.slice(place.index)];
    store.setQuery(api.tracks.page, args, { ...value, page });
  }

  const shown = pagesOf(store, track.show).flatMap(({ value }) => value.page);
  const next = shown.find(({ isPlayed }) => !isPlayed);
  if (next !== undefined) store.setQuery(api.tracks.next, { show: track.show }, next);
}

function findTrack(store: OptimisticLocalStore, id: Id<"tracks">): Doc<"tracks"> | undefined {
  const listed = loadedPages(store).flatMap(({ value }) => value.page);
  return (
    listed.find(({ _id }) => _id === id) ??
    store.getQuery(api.tracks.get, { track: id }) ??
    undefined
  );
}

function loadedPages(store: OptimisticLocalStore) {
  return store
    .getAllQueries(api.tracks.page)
    .flatMap(({ args, value }) => (value === undefined ? [] : [{ args, value }]));
}

/** Returns the pages of a show from the top, as far as they are loaded without a gap. */
function pagesOf(store: OptimisticLocalStore, show: Id<"shows">): Page[] {
  const pages = loadedPages(store).filter(({ args }) => args.show === show);
  const ordered: Page[] = [];
  let page = pages.find(({ args }) => args.paginationOpts.cursor === null);
  while (page !== undefined && !ordered.includes(page)) {
    ordered.push(page);
    const end = page.value.continueCursor;
    page = page.value.isDone
      ? undefined
      : pages.find(({ args }) => args.paginationOpts.cursor === end);
  }
  return ordered;
}

/** Returns the place directly below a track; undefined if it lies beyond what is loaded. */
function findPlace(pages: Page[], below: Id<"tracks">) {
  for (const [number, at] of pages.entries()) {
    const index = at.value.page.findIndex(({ _id }) => _id === below);
    if (index === -1) continue;
    const rest = pages.slice(number + 1);
    const isInside =
      index + 1 < at.value.page.length ||
      at.value.isDone ||
      rest.some(({ value }) => value.page.length > 0 || value.isDone);
    return isInside ? { at, index: index + 1 } : undefined;
  }
  return undefined;
}
