// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { query, type QueryCtx } from "./_generated/server";
import { NEIGHBOURS, PAGE_SIZE } from "./constants";
import {
  countBefore,
  countEntries,
  listAround,
  listAt,
  rankOf,
  showEntries,
} from "./model/board";
import { entryOf } from "./model/entries";
import { hasAllEntries, listEntries } from "./model/standings";
import { findPlayer } from "./model/viewer";

const board = { country: v.optional(v.string()) };

/** The entry of a player on a board. */
async function findEntry(ctx: QueryCtx, name: string, country?: string) {
  const player = await findPlayer(ctx, name);
  const entry = player === null ? null : await entryOf(ctx, player._id);
  return country === undefined || entry?.country === country ? entry : null;
}

/** The rank of a player, and how many stand on the board; null for who does not. */
export const rank = query({
  args: { name: v.string(), ...board },
  handler: async (ctx, { name, country }) => {
    if (await hasAllEntries(ctx)) {
      const entry = await findEntry(ctx, name, country);
      if (entry === null) return null;
      const of = await countEntries(ctx, country);
      return { rank: await rankOf(ctx, entry, country), score: -entry.order, of };
    }
    const entries = await listEntries(ctx, country);
    const entry = entries.find((each) => each.name === name);
    if (entry === undefined) return null;
    return { rank: entry.rank, score: entry.score, of: entries.length };
  },
});

/** A player between those above and below; empty if the player is not on the board. */
export const around = query({
  args: { name: v.string(), ...board },
  handler: async (ctx, { name, country }) => {
    if (await hasAllEntries(ctx)) {
      const entry = await findEntry(ctx, name, country);
      if (entry === null) return [];
      const entries = await listAround(ctx, entry, country, NEIGHBOURS);
      const index = entries.findIndex(({ _id }) => _id === entry._id);
      const place = await countBefore(ctx, entry, country);
      return await showEntries(ctx, entries, place - index, country);
    }
    const entries = await listEntries(ctx, country);
    const place = entries.findIndex((entry) => entry.name === name);
    if (place === -1) return [];
    return entries.slice(Math.max(0, place - NEIGHBOURS), place + NEIGHBOURS + 1);
  },
});

/** The entries from a place of the board on; place 1 is the first, also among equal ones. */
export const page = query({
  args: { place: v.number(), ...board },
  handler: async (ctx, { place, country }) => {
    if (!Number.isInteger(place) || place < 1) throw new ConvexError("bad place");
    if (await hasAllEntries(ctx)) {
      const entries = await listAt(ctx, place - 1, country, PAGE_SIZE);
      return await showEntries(ctx, entries, place - 1, country);
    }
    const entries = await listEntries(ctx, country);
    return entries.slice(place - 1, place - 1 + PAGE_SIZE);
  },
});
