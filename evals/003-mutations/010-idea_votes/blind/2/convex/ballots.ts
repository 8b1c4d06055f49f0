// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation } from "./_generated/server";
import { foldBallots } from "./model/figures";

/** Folds ballots of an idea into its tally. */
export const fold = internalMutation({
  args: { idea: v.id("ideas") },
  returns: v.null(),
  handler: async (ctx, args): Promise<null> => {
    const idea = await ctx.db.get("ideas", args.idea);
    if (idea !== null && (await foldBallots(ctx, idea, "settled"))) {
      await ctx.scheduler.runAfter(0, internal.ballots.fold, args);
    }
    return null;
  },
});
