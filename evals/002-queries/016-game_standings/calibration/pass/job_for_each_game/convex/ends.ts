// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { awaitSuspension, refresh } from "./model/entries";

export const ofGame = internalMutation({
  args: { game: v.id("games") },
  returns: v.null(),
  handler: async (ctx, { game: id }) => {
    const game = await ctx.db.get("games", id);
    if (game !== null) await refresh(ctx, game.player);
    return null;
  },
});

export const ofSuspension = internalMutation({
  args: { player: v.id("players") },
  returns: v.null(),
  handler: async (ctx, { player: id }) => {
    const player = await ctx.db.get("players", id);
    if (player === null) return null;
    await awaitSuspension(ctx, id, player.suspendedUntil);
    await refresh(ctx, id);
    return null;
  },
});
