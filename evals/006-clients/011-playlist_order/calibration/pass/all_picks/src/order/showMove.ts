// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { OptimisticLocalStore } from "convex/browser";
import type { FunctionArgs } from "convex/server";

import { api } from "../../convex/_generated/api";
import type { Id } from "../../convex/_generated/dataModel";

type Move = FunctionArgs<typeof api.tracks.move>;

/** Shows a move: the loaded pages are joined, changed, and cut again where they were cut before. */
export function showMove(store: OptimisticLocalStore, { track: id, below }: Move) {
  const known = store.getAllQueries(api.tracks.page).flatMap(({ value }) => value?.page ?? []);
  const track =
    known.find((other) => other._id === id) ?? store.getQuery(api.tracks.get, { track: id });
  if (!track || id === below) return;

  const pages = joined(store, track.show);
  const kept = pages.map(({ value }) => value.page.filter((other) => other._id !== id));
  const at = kept.findIndex((page) => page.some((other) => other._id === below));
  if (at !== -1) {
    const index = kept[at].findIndex((other) => other._id === below) + 1;
    const isLastShown =
      index === kept[at].length && kept.slice(at + 1).every((page) => page.length === 0);
    if (!isLastShown) kept[at] = kept[at].toSpliced(index, 0, track);
    else if (pages[pages.length - 1].value.isDone) kept[kept.length - 1].push(track);
  }
  pages.forEach(({ args, value }, number) =>
    store.setQuery(api.tracks.page, args, { ...value, page: kept[number] }),
  );
  const next = kept.flat().find(({ isPlayed }) => !isPlayed);
  if (next) store.setQuery(api.tracks.next, { show: track.show }, next);
}

function joined(store: OptimisticLocalStore, show: Id<"shows">) {
  const all = store.getAllQueries(api.tracks.page).flatMap(({ args, value }) => {
    return args.show === show && value !== undefined ? [{ args, value }] : [];
  });
  const chain: typeof all = [];
  let cursor: string | null = null;
  for (;;) {
    const page = all.find(({ args }) => args.paginationOpts.cursor === cursor);
    if (page === undefined || chain.includes(page)) return chain;
    chain.push(page);
    if (page.value.isDone) return chain;
    cursor = page.value.continueCursor;
  }
}
