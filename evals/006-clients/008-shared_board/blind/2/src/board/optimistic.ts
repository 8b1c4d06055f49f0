// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { OptimisticLocalStore } from "convex/browser";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { STEP, type Place } from "../../convex/lib/ranks";
import type { Label } from "./LabelFilter";

type Card = Doc<"cards">;

export interface Move {
  card: Id<"cards">;
  list: Id<"lists">;
  place: Place;
}

/** The most cards of a person that are shown: see convex/cards.ts. */
const MOST_OF_PERSON = 100;

/** The ranks that moves got first, for when the card beside is not loaded any more. */
const firstRanks = new WeakMap<object, number>();

/** Shows the page as it will be once a move has been carried out, see convex/cards.ts. */
export function showMove(store: OptimisticLocalStore, move: Move) {
  const stacks = loadedStacks(store);
  const known = knownCards(store, stacks);
  const card = known.get(move.card);
  const lists = store.getQuery(api.lists.overview, {});
  const target = lists?.find((list) => list._id === move.list);
  if (card === undefined || lists === undefined || target === undefined) return;
  const isOther = card.list !== move.list;
  if (isOther) {
    // The server will refuse these: they change nothing.
    if (target.isDone && card.isBlocked) return;
    if (target.limit !== undefined && target.size >= target.limit) return;
    store.setQuery(
      api.lists.overview,
      {},
      lists.map((list) => {
        if (list._id === card.list) return { ...list, size: list.size - 1 };
        return list._id === move.list ? { ...list, size: list.size + 1 } : list;
      }),
    );
  }
  const { closedAt, ...rest } = card;
  const moved: Card = {
    ...rest,
    list: move.list,
    rank: rankFor(move, [...known.values()], stacks),
    ...(target.isDone ? { closedAt: closedAt ?? Date.now() } : {}),
  };
  for (const stack of stacks) moveInStack(store, stack, moved);
  moveInPersons(store, moved);
}

/** The loaded pages of one list, all of its cards or those with a label, from the top. */
interface Stack {
  list: Id<"lists">;
  label: Label | undefined;
  pages: LoadedPage[];
}

type LoadedPage = ReturnType<typeof loadedPages>[number];

function loadedPages(store: OptimisticLocalStore) {
  return store
    .getAllQueries(api.cards.page)
    .flatMap(({ args, value }) => (value === undefined ? [] : [{ args, value }]));
}

function loadedStacks(store: OptimisticLocalStore): Stack[] {
  const loaded = loadedPages(store);
  return loaded
    .filter(({ args }) => args.paginationOpts.cursor === null)
    .map((first) => {
      const { list, label } = first.args;
      const pages = [first];
      for (let last = first; !last.value.isDone; ) {
        const cursor = last.value.continueCursor;
        const next = loaded.find(
          ({ args }) =>
            args.list === list && args.label === label && args.paginationOpts.cursor === cursor,
        );
        if (next === undefined || pages.includes(next)) break;
        pages.push(next);
        last = next;
      }
      return { list, label, pages };
    });
}

function knownCards(store: OptimisticLocalStore, stacks: Stack[]): Map<Id<"cards">, Card> {
  const known = new Map<Id<"cards">, Card>();
  for (const { value } of store.getAllQueries(api.cards.ofPerson)) {
    for (const card of value ?? []) known.set(card._id, card);
  }
  for (const { pages } of stacks) {
    for (const { value } of pages) {
      for (const card of value.page) known.set(card._id, card);
    }
  }
  return known;
}

/** As in convex/lib/ranks.ts, as far as cards are loaded: they stand as they will. */
function rankFor(move: Move, known: Card[], stacks: Stack[]): number {
  const { card: id, list, place } = move;
  const others = known.filter((card) => card.list === list && card._id !== id);
  const other =
    place.kind === "bottom" ? undefined : others.find((card) => card._id === place.card);
  if (place.kind === "bottom" || other === undefined) {
    const first = firstRanks.get(move);
    const isUnfiltered = stacks.some((one) => one.list === list && one.label === undefined);
    if (place.kind !== "bottom" && first !== undefined && !isUnfiltered) return first;
    return others.length === 0 ? STEP : Math.max(...others.map((card) => card.rank)) + STEP;
  }
  const rank = place.kind === "before" ? rankBefore(other, others) : rankAfter(other, others);
  if (!firstRanks.has(move)) firstRanks.set(move, rank);
  return rank;
}

function rankBefore({ rank }: Card, others: Card[]): number {
  const above = others.map((card) => card.rank).filter((one) => one < rank);
  return above.length === 0 ? rank - STEP : (Math.max(...above) + rank) / 2;
}

function rankAfter({ rank }: Card, others: Card[]): number {
  const below = others.map((card) => card.rank).filter((one) => one > rank);
  return below.length === 0 ? rank + STEP : (rank + Math.min(...below)) / 2;
}

function moveInStack(store: OptimisticLocalStore, { list, label, pages }: Stack, moved: Card) {
  const left = pages.map(({ value }) => value.page.filter((card) => card._id !== moved._id));
  const belongs = moved.list === list && (label === undefined || moved.label === label);
  if (belongs) insert(left, moved, pages[pages.length - 1].value.isDone);
  pages.forEach(({ args, value }, index) => {
    const isChanged = belongs || left[index].length !== value.page.length;
    if (isChanged) store.setQuery(api.cards.page, args, { ...value, page: left[index] });
  });
}

/** Puts a card into its page. Below the last loaded card it is not loaded, unless that is the end. */
function insert(pages: Card[][], moved: Card, isWhole: boolean) {
  for (const page of pages) {
    const index = page.findIndex((card) => isBefore(moved, card));
    if (index !== -1) {
      page.splice(index, 0, moved);
      return;
    }
  }
  if (isWhole) pages[pages.length - 1].push(moved);
}

function isBefore(one: Card, other: Card): boolean {
  return one.rank === other.rank
    ? one._creationTime < other._creationTime
    : one.rank < other.rank;
}

function moveInPersons(store: OptimisticLocalStore, moved: Card) {
  for (const { args, value } of store.getAllQueries(api.cards.ofPerson)) {
    if (value === undefined || moved.person !== args.person) continue;
    const cards = value.filter((card) => card._id !== moved._id);
    if (moved.closedAt === undefined) {
      const index = cards.findIndex((card) =>
        card.due === moved.due ? card._creationTime > moved._creationTime : card.due > moved.due,
      );
      cards.splice(index === -1 ? cards.length : index, 0, moved);
    }
    store.setQuery(api.cards.ofPerson, args, cards.slice(0, MOST_OF_PERSON));
  }
}
