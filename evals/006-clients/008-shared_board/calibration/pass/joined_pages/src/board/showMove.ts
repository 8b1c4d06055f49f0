// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { OptimisticLocalStore } from "convex/browser";
import type { FunctionArgs } from "convex/server";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";

type Card = Doc<"cards">;
type Move = FunctionArgs<typeof api.cards.move>;
type Args = FunctionArgs<typeof api.cards.page>;

/** The loaded pages of one list, joined. */
interface Loaded {
  list: Id<"lists">;
  label: Args["label"];
  pages: Args[];
  cards: Card[];
  isWhole: boolean;
}

export function showMove(store: OptimisticLocalStore, move: Move) {
  const all = loadLists(store);
  const people = store.getAllQueries(api.cards.ofPerson);
  const card = [...all.flatMap(({ cards }) => cards), ...people.flatMap(({ value }) => value ?? [])].find(
    ({ _id }) => _id === move.card,
  );
  const overview = store.getQuery(api.lists.overview, {});
  if (card === undefined || overview === undefined) return;
  const isClosed = overview.some(({ _id, isDone }) => _id === move.list && isDone);
  const moved: Card = { ...card, list: move.list };
  if (isClosed) moved.closedAt ??= Date.now();
  else delete moved.closedAt;

  const sizes = overview.map((list) => {
    const gained = Number(list._id === move.list) - Number(list._id === card.list);
    return { ...list, size: list.size + gained };
  });
  store.setQuery(api.lists.overview, {}, sizes);

  for (const { args, value } of people) {
    if (value === undefined || args.person !== moved.person) continue;
    const others = value.filter(({ _id }) => _id !== card._id);
    const later = others.findIndex(
      (other) =>
        other.due > moved.due ||
        (other.due === moved.due && other._creationTime > moved._creationTime),
    );
    if (!isClosed) others.splice(later === -1 ? others.length : later, 0, moved);
    store.setQuery(api.cards.ofPerson, args, others);
  }

  for (const loaded of all) {
    const had = loaded.cards.some(({ _id }) => _id === card._id);
    const cards = loaded.cards.filter(({ _id }) => _id !== card._id);
    const takes =
      loaded.list === move.list && (loaded.label === undefined || loaded.label === card.label);
    if (takes) insert(cards, moved, move.place, loaded.isWhole);
    if (had || takes) share(store, loaded, cards);
  }
}

function insert(cards: Card[], moved: Card, place: Move["place"], isWhole: boolean) {
  const beside =
    place.kind === "bottom" ? -1 : cards.findIndex(({ _id }) => _id === place.card);
  let index = cards.length;
  if (beside !== -1) index = place.kind === "before" ? beside : beside + 1;
  if (index < cards.length || isWhole) cards.splice(index, 0, moved);
}

function loadLists(store: OptimisticLocalStore): Loaded[] {
  const queries = store.getAllQueries(api.cards.page);
  return queries.flatMap(({ args, value }) => {
    if (args.paginationOpts.cursor !== null || value === undefined) return [];
    const loaded: Loaded = { list: args.list, label: args.label, pages: [], cards: [], isWhole: false };
    let page: { args: Args; value: typeof value | undefined } | undefined = { args, value };
    while (page?.value !== undefined) {
      const end: string = page.value.continueCursor;
      loaded.pages.push(page.args);
      loaded.cards.push(...page.value.page);
      loaded.isWhole = page.value.isDone;
      page = loaded.isWhole
        ? undefined
        : queries.find(
            (other) =>
              other.args.list === args.list &&
              other.args.label === args.label &&
              other.args.paginationOpts.cursor === end,
          );
    }
    return [loaded];
  });
}

/** Gives the cards to the pages again: each keeps its number, and the last one has the rest. */
function share(store: OptimisticLocalStore, { pages }: Loaded, cards: Card[]) {
  const rest = [...cards];
  pages.forEach((args, number) => {
    const value = store.getQuery(api.cards.page, args);
    if (value === undefined) return;
    const isLast = number === pages.length - 1;
    const page = rest.splice(0, isLast ? rest.length : value.page.length);
    store.setQuery(api.cards.page, args, { ...value, page });
  });
}
