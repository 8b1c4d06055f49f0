// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { OptimisticLocalStore } from "convex/browser";
import type { FunctionArgs } from "convex/server";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { STEP, type Place } from "../../convex/lib/ranks";

type Card = Doc<"cards">;

/** So many cards of a person are shown, see convex/cards.ts. */
const MOST_OF_PERSON = 100;

/**
 * Changes all loaded queries as the server will change them for a move: see `move` in
 * convex/cards.ts. What the server will refuse changes nothing.
 */
export function previewMove(
  store: OptimisticLocalStore,
  { card: id, list, place }: FunctionArgs<typeof api.cards.move>,
): void {
  const lists = store.getQuery(api.lists.overview, {});
  const target = lists?.find((each) => each._id === list);
  const known = knownCards(store);
  const card = known.get(id);
  if (lists === undefined || target === undefined || card === undefined) return;

  if (card.list !== list) {
    if (target.isDone && card.isBlocked) return;
    if (target.limit !== undefined && target.size >= target.limit) return;
    store.setQuery(
      api.lists.overview,
      {},
      lists.map((each) => {
        if (each._id === list) return { ...each, size: each.size + 1 };
        if (each._id === card.list) return { ...each, size: each.size - 1 };
        return each;
      }),
    );
  }

  const others = [...known.values()].filter((each) => each.list === list && each._id !== id);
  const { closedAt, ...fields } = card;
  const moved: Card = {
    ...fields,
    list,
    rank: rankAmong(others, known, list, place),
    ...(target.isDone && { closedAt: closedAt ?? Date.now() }),
  };
  previewPages(store, moved);
  previewPersons(store, moved);
}

/** Returns all cards that are loaded. */
function knownCards(store: OptimisticLocalStore): Map<Id<"cards">, Card> {
  const known = new Map<Id<"cards">, Card>();
  for (const { value } of store.getAllQueries(api.cards.ofPerson)) {
    for (const card of value ?? []) known.set(card._id, card);
  }
  for (const { value } of store.getAllQueries(api.cards.page)) {
    for (const card of value?.page ?? []) known.set(card._id, card);
  }
  return known;
}

/**
 * Returns a rank that has the place which the server's rank will have among the loaded cards: see
 * `rankFor` in convex/lib/ranks.ts.
 */
function rankAmong(
  others: Card[],
  known: Map<Id<"cards">, Card>,
  list: Id<"lists">,
  place: Place,
): number {
  const ranks = others.map(({ rank }) => rank);
  const other = place.kind === "bottom" ? undefined : known.get(place.card);
  if (place.kind === "bottom" || other === undefined || other.list !== list) {
    return ranks.length === 0 ? STEP : Math.max(...ranks) + STEP;
  }
  if (place.kind === "before") {
    const above = ranks.filter((rank) => rank < other.rank);
    return above.length === 0 ? other.rank - STEP : (Math.max(...above) + other.rank) / 2;
  }
  const below = ranks.filter((rank) => rank > other.rank);
  return below.length === 0 ? other.rank + STEP : (other.rank + Math.min(...below)) / 2;
}

/** Takes a card out of the pages where it was, and puts it into those where it will be. */
function previewPages(store: OptimisticLocalStore, moved: Card): void {
  for (const { args, value } of store.getAllQueries(api.cards.page)) {
    if (value === undefined || !value.page.some(({ _id }) => _id === moved._id)) continue;
    const page = value.page.filter(({ _id }) => _id !== moved._id);
    store.setQuery(api.cards.page, args, { ...value, page });
  }

  // The pages of one list belong together, and each only knows its own part.
  const groups = new Map<string, ReturnType<typeof pagesOf>>();
  for (const each of pagesOf(store)) {
    if (each.args.list !== moved.list) continue;
    if (each.args.label !== undefined && each.args.label !== moved.label) continue;
    const key = JSON.stringify([each.args.label ?? null, each.args.paginationOpts.id ?? null]);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  for (const group of groups.values()) {
    const loaded = group.flatMap(({ value }) => value.page);
    const previous = loaded.filter((card) => isAbove(card, moved)).sort(compare).at(-1);
    const next = loaded.filter((card) => !isAbove(card, moved)).sort(compare)[0] as
      | Card
      | undefined;
    const holder =
      next === undefined
        ? // Below all that is loaded: it is only shown if nothing else is to be loaded.
          group.find(({ value }) => value.isDone)
        : group.find(({ value }) =>
            value.page.some(({ _id }) => _id === (previous ?? next)._id),
          );
    if (holder === undefined) continue;
    const page = [...holder.value.page, moved].sort(compare);
    store.setQuery(api.cards.page, holder.args, { ...holder.value, page });
  }
}

function pagesOf(store: OptimisticLocalStore) {
  return store
    .getAllQueries(api.cards.page)
    .flatMap(({ args, value }) => (value === undefined ? [] : [{ args, value }]));
}

/** The order of a list. */
function compare(a: Card, b: Card): number {
  return a.rank - b.rank || a._creationTime - b._creationTime;
}

function isAbove(a: Card, b: Card): boolean {
  return compare(a, b) < 0;
}

/** People see their cards that are not closed, by the day on which they are due. */
function previewPersons(store: OptimisticLocalStore, moved: Card): void {
  for (const { args, value } of store.getAllQueries(api.cards.ofPerson)) {
    if (value === undefined || args.person !== moved.person) continue;
    const cards = value.filter(({ _id }) => _id !== moved._id);
    if (moved.closedAt === undefined) cards.push(moved);
    cards.sort((a, b) => a.due - b.due || a._creationTime - b._creationTime);
    store.setQuery(api.cards.ofPerson, args, cards.slice(0, MOST_OF_PERSON));
  }
}
