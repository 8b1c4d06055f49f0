// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { OptimisticLocalStore } from "convex/browser";
import type { FunctionArgs } from "convex/server";

import { api } from "../../convex/_generated/api";
import type { Doc } from "../../convex/_generated/dataModel";

type Card = Doc<"cards">;
type Move = FunctionArgs<typeof api.cards.move>;
type Page = ReturnType<typeof loadedPages>[number];

/** Shows a move in all loaded queries, by the rules of `cards.move`. */
export function showMove(store: OptimisticLocalStore, { card: id, list, place }: Move) {
  const lists = store.getQuery(api.lists.overview, {});
  const target = lists?.find((one) => one._id === list);
  const card = findCard(store, id);
  if (lists === undefined || target === undefined || card === undefined) return;

  const { closedAt, ...open } = card;
  const moved: Card = target.isDone
    ? { ...open, list, closedAt: closedAt ?? Date.now() }
    : { ...open, list };

  if (card.list !== list) {
    const by = (one: Doc<"lists">) =>
      one._id === list ? 1 : one._id === card.list ? -1 : 0;
    store.setQuery(
      api.lists.overview,
      {},
      lists.map((one) => ({ ...one, size: one.size + by(one) })),
    );
  }

  for (const { args, value } of store.getAllQueries(api.cards.ofPerson)) {
    if (value === undefined || args.person !== card.person) continue;
    const others = value.filter((one) => one._id !== id);
    const all = moved.closedAt === undefined ? [...others, moved] : others;
    all.sort((one, other) => one.due - other.due || one._creationTime - other._creationTime);
    store.setQuery(api.cards.ofPerson, args, all);
  }

  for (const { args, value } of loadedPages(store)) {
    const rest = value.page.filter((one) => one._id !== id);
    if (rest.length !== value.page.length) {
      store.setQuery(api.cards.page, args, { ...value, page: rest });
    }
  }
  const shown = loadedPages(store).filter(
    ({ args }) =>
      args.list === list && (args.label === undefined || args.label === moved.label),
  );
  const found = findPlace(inOrder(shown), place);
  if (found === undefined) return;
  const { args, value } = found.at;
  store.setQuery(api.cards.page, args, {
    ...value,
    page: [...value.page.slice(0, found.index), moved, ...value.page.slice(found.index)],
  });
}

function findCard(store: OptimisticLocalStore, id: Card["_id"]) {
  const listed = loadedPages(store).flatMap(({ value }) => value.page);
  const mine = store.getAllQueries(api.cards.ofPerson).flatMap(({ value }) => value ?? []);
  return [...listed, ...mine].find((card) => card._id === id);
}

function loadedPages(store: OptimisticLocalStore) {
  return store
    .getAllQueries(api.cards.page)
    .flatMap(({ args, value }) => (value === undefined ? [] : [{ args, value }]));
}

/** Returns the pages of a list from the top, as far as they are loaded without a gap. */
function inOrder(pages: Page[]): Page[] {
  const ordered: Page[] = [];
  let next = pages.find(({ args }) => args.paginationOpts.cursor === null);
  while (next !== undefined && !ordered.includes(next)) {
    ordered.push(next);
    const end = next.value.continueCursor;
    next = next.value.isDone
      ? undefined
      : pages.find(({ args }) => args.paginationOpts.cursor === end);
  }
  return ordered;
}

/** Returns where a place is in the pages of a list; undefined if it lies beyond what is loaded. */
function findPlace(pages: Page[], place: Move["place"]) {
  if (place.kind !== "bottom") {
    for (const [number, at] of pages.entries()) {
      const index = at.value.page.findIndex((one) => one._id === place.card);
      if (index === -1) continue;
      if (place.kind === "before") return { at, index };
      const rest = pages.slice(number + 1);
      const isInside =
        index + 1 < at.value.page.length ||
        at.value.isDone ||
        rest.some(({ value }) => value.page.length > 0 || value.isDone);
      return isInside ? { at, index: index + 1 } : undefined;
    }
  }
  const last = pages.at(-1);
  return last?.value.isDone ? { at: last, index: last.value.page.length } : undefined;
}
