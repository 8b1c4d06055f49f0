// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { OptimisticLocalStore } from "convex/browser";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import type { Place } from "../../convex/lib/ranks";

/** See convex/lib/ranks.ts and convex/cards.ts. */
const STEP = 1024;
const MOST_OF_PERSON = 100;

type Card = Doc<"cards">;

interface Move {
  card: Id<"cards">;
  list: Id<"lists">;
  place: Place;
}

/**
 * The rank at which a loaded page ends, by the page's cursor. A page keeps its end, also when the
 * card that stood there goes away.
 */
const ends = new Map<string, number>();

/**
 * Shows what a move will do, in all loaded queries, as convex/cards.ts will do it. What the server
 * will refuse, as far as it can be told here, changes nothing. `clicked` is the card as it was shown.
 */
export function applyMove(store: OptimisticLocalStore, clicked: Card, move: Move) {
  rememberEnds(store);
  const lists = store.getQuery(api.lists.overview, {});
  const card = findCard(store, move.card) ?? (mustBeLoaded(store, clicked) ? undefined : clicked);
  const list = lists?.find((one) => one._id === move.list);
  if (lists === undefined || list === undefined || card === undefined) return;
  if (card.list !== list._id) {
    if (list.isDone && card.isBlocked) return;
    if (list.limit !== undefined && list.size >= list.limit) return;
    store.setQuery(
      api.lists.overview,
      {},
      lists.map((one) => {
        if (one._id === card.list) return { ...one, size: one.size - 1 };
        return one._id === list._id ? { ...one, size: one.size + 1 } : one;
      }),
    );
  }
  const { closedAt, ...rest } = card;
  const moved: Card = {
    ...rest,
    list: list._id,
    rank: guessRank(store, move),
    ...(list.isDone ? { closedAt: closedAt ?? Date.now() } : {}),
  };
  placeInPages(store, moved);
  placeInPersons(store, moved);
}

/** All loaded pages of a list's cards under one filter, as one list of the page shows them. */
function groupPages(store: OptimisticLocalStore) {
  const loaded = store.getAllQueries(api.cards.page).flatMap(({ args, value }) => {
    return value === undefined ? [] : [{ args, value }];
  });
  const groups = new Map<string, typeof loaded>();
  for (const query of loaded) {
    const options: object = query.args.paginationOpts;
    const id = "id" in options ? JSON.stringify(options.id) : "";
    const key = `${query.args.list} ${query.args.label ?? ""} ${id}`;
    groups.set(key, [...(groups.get(key) ?? []), query]);
  }
  const start = ({ args, value }: (typeof loaded)[number]) =>
    args.paginationOpts.cursor === null ? -Infinity : (value.page[0]?.rank ?? Infinity);
  return [...groups.values()].map((group) =>
    [...group].sort((a, b) => {
      const [first, second] = [start(a), start(b)];
      return first < second ? -1 : first > second ? 1 : 0;
    }),
  );
}

function endKey(args: { list: string; label?: string }, cursor: string): string {
  return `${args.list} ${args.label ?? ""} ${cursor}`;
}

function rememberEnds(store: OptimisticLocalStore) {
  for (const { args, value } of store.getAllQueries(api.cards.page)) {
    if (value === undefined || value.isDone) continue;
    const key = endKey(args, value.continueCursor);
    const last = value.page[value.page.length - 1]?.rank ?? -Infinity;
    ends.set(key, Math.max(last, ends.get(key) ?? -Infinity));
  }
}

/** All cards that are known, some of them more than once. */
function knownCards(store: OptimisticLocalStore): Card[] {
  return [
    ...store.getAllQueries(api.cards.page).flatMap(({ value }) => value?.page ?? []),
    ...store.getAllQueries(api.cards.ofPerson).flatMap(({ value }) => value ?? []),
  ];
}

function findCard(store: OptimisticLocalStore, id: Id<"cards">): Card | undefined {
  return knownCards(store).find((card) => card._id === id);
}

/** Whether a card would be known if it were still there. It is not if the filter hides it. */
function mustBeLoaded(store: OptimisticLocalStore, card: Card): boolean {
  const isInPage = store
    .getAllQueries(api.cards.page)
    .some(
      ({ args, value }) =>
        value !== undefined &&
        args.list === card.list &&
        (args.label === undefined || args.label === card.label),
    );
  const isOfPerson = store
    .getAllQueries(api.cards.ofPerson)
    .some(
      ({ args, value }) =>
        value !== undefined && args.person === card.person && card.closedAt === undefined,
    );
  return isInPage || isOfPerson;
}

/**
 * Returns a rank between the same known cards as the one that the server will give. It need not be
 * the same, as there may be cards between them which are not loaded.
 */
function guessRank(store: OptimisticLocalStore, { card, list, place }: Move): number {
  const others = knownCards(store).filter((one) => one.list === list && one._id !== card);
  const anchor =
    place.kind === "bottom" ? undefined : others.find((one) => one._id === place.card);
  if (place.kind === "bottom" || anchor === undefined) {
    let last = Math.max(-Infinity, ...others.map((one) => one.rank));
    for (const { args, value } of store.getAllQueries(api.cards.page)) {
      if (args.list !== list || value === undefined || value.isDone) continue;
      last = Math.max(last, ends.get(endKey(args, value.continueCursor)) ?? -Infinity);
    }
    return last === -Infinity ? STEP : last + STEP;
  }
  if (place.kind === "before") {
    const above = others.map((one) => one.rank).filter((rank) => rank < anchor.rank);
    if (above.length === 0) return anchor.rank - STEP;
    return (Math.max(...above) + anchor.rank) / 2;
  }
  const below = others.map((one) => one.rank).filter((rank) => rank > anchor.rank);
  if (below.length === 0) return anchor.rank + STEP;
  return (anchor.rank + Math.min(...below)) / 2;
}

/** Puts a card where it belongs now, and nowhere else. Beyond the end of what is loaded it is not shown. */
function placeInPages(store: OptimisticLocalStore, card: Card) {
  for (const group of groupPages(store)) {
    const target = group.find(({ args, value }) => {
      if (args.list !== card.list) return false;
      if (args.label !== undefined && args.label !== card.label) return false;
      if (value.isDone) return true;
      return card.rank <= (ends.get(endKey(args, value.continueCursor)) ?? -Infinity);
    });
    for (const query of group) {
      const { args, value } = query;
      const isHere = value.page.some((one) => one._id === card._id);
      if (!isHere && query !== target) continue;
      const page = value.page.filter((one) => one._id !== card._id);
      if (query === target) {
        const index = page.findIndex((one) => one.rank > card.rank);
        page.splice(index === -1 ? page.length : index, 0, card);
      }
      store.setQuery(api.cards.page, args, { ...value, page });
    }
  }
}

/** A person's open cards are in the order of the days on which they are due. */
function placeInPersons(store: OptimisticLocalStore, card: Card) {
  for (const { args, value } of store.getAllQueries(api.cards.ofPerson)) {
    if (value === undefined || args.person !== card.person) continue;
    const cards = value.filter((one) => one._id !== card._id);
    if (card.closedAt === undefined) {
      const index = cards.findIndex(
        (one) =>
          one.due > card.due || (one.due === card.due && one._creationTime > card._creationTime),
      );
      cards.splice(index === -1 ? cards.length : index, 0, card);
    }
    store.setQuery(api.cards.ofPerson, args, cards.slice(0, MOST_OF_PERSON));
  }
}
