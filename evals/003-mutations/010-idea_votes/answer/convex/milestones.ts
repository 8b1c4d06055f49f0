// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { tellMilestones } from "./model/milestones";

/** Looks at an idea's votes behind the vote: only the sum of all tallies tells of a milestone. */
export const check = internalMutation({
  args: { idea: v.id("ideas") },
  returns: v.null(),
  handler: async (ctx, { idea }) => {
    await tellMilestones(ctx, idea);
    return null;
  },
});
