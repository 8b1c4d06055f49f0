// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { query } from "./_generated/server";
import { entriesAround, entriesFrom, rankOf } from "./model/standings";

const board = { country: v.optional(v.string()) };

/** The rank of a player, and how many stand on the board; null for who does not. */
export const rank = query({
  args: { name: v.string(), ...board },
  handler: async (ctx, { name, country }) => await rankOf(ctx, name, country),
});

/** A player between those above and below; empty if the player is not on the board. */
export const around = query({
  args: { name: v.string(), ...board },
  handler: async (ctx, { name, country }) => await entriesAround(ctx, name, country),
});

/** The entries from a place of the board on; place 1 is the first, also among equal ones. */
export const page = query({
  args: { place: v.number(), ...board },
  handler: async (ctx, { place, country }) => {
    if (!Number.isInteger(place) || place < 1) throw new ConvexError("bad place");
    return await entriesFrom(ctx, place, country);
  },
});
