// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { tellReached } from "./model/milestones";

/** Scheduled by votes: to find out here what an idea has reached makes no vote run again. */
export const tell = internalMutation({
  args: { idea: v.id("ideas") },
  returns: v.null(),
  handler: async (ctx, { idea }) => {
    await tellReached(ctx, idea);
    return null;
  },
});
