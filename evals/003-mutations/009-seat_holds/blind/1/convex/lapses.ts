// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { lapseDue } from "./model/lapses";

/** Runs whenever the end of a booking of an event may have come. */
export const run = internalMutation({
  args: { event: v.id("events") },
  returns: v.null(),
  handler: async (ctx, { event }) => {
    await lapseDue(ctx, event);
    return null;
  },
});
