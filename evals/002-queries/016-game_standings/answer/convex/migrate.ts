// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { MAX_GAMES } from "./constants";
import { refresh } from "./model/entries";

/** The players of a call. For each it reads all recent games, and some nodes of two trees. */
const PLAYERS = Math.floor(2_000 / (MAX_GAMES + 120));

export const next = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    const state = await ctx.db.query("migration").unique();
    const begin = { cursor: null, isDone: false };
    const id = state?._id ?? (await ctx.db.insert("migration", begin));
    const { cursor, isDone: wasDone } = state ?? begin;
    if (wasDone) return true;
    const players = await ctx.db.query("players").paginate({ cursor, numItems: PLAYERS });
    for (const player of players.page) await refresh(ctx, player._id);
    const { isDone, continueCursor } = players;
    await ctx.db.patch("migration", id, { cursor: continueCursor, isDone });
    return isDone;
  },
});
