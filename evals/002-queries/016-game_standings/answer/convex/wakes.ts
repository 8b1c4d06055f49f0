// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { dropWake, refresh } from "./model/entries";

/** A game of a player is too old now, or a suspension has ended. */
export const run = internalMutation({
  args: { player: v.id("players") },
  returns: v.null(),
  handler: async (ctx, { player }) => {
    await dropWake(ctx, player);
    await refresh(ctx, player);
    return null;
  },
});
