// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation } from "./_generated/server";
import { BATCH, KEPT_FOR } from "./constants";
import { deleteGame } from "./model/games";

export const dropOldGames = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const end = Date.now() - KEPT_FOR;
    const games = await ctx.db
      .query("games")
      .withIndex("by_time", (q) => q.lt("playedAt", end))
      .take(BATCH);
    for (const game of games) await deleteGame(ctx, game);
    if (games.length === BATCH)
      await ctx.scheduler.runAfter(0, internal.cleanup.dropOldGames, {});
    return null;
  },
});
