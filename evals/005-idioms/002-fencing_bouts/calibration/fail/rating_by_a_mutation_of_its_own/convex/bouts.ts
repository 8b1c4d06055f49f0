// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, internalQuery, mutation } from "./_generated/server";

const OBJECTION_MS = 24 * 60 * 60 * 1000;
const POINTS = 10;

export const report = mutation({
  args: { winner: v.id("fencers"), loser: v.id("fencers") },
  returns: v.id("bouts"),
  handler: async (ctx, { winner, loser }) => {
    if (winner === loser) {
      throw new ConvexError("same fencer");
    }
    const bout = await ctx.db.insert("bouts", { winner, loser, state: "reported" });
    await ctx.scheduler.runAfter(OBJECTION_MS, internal.bouts.confirm, { bout });
    return bout;
  },
});

export const withdraw = mutation({
  args: { bout: v.id("bouts") },
  returns: v.boolean(),
  handler: async (ctx, args) => {
    const bout = await ctx.db.get("bouts", args.bout);
    if (bout?.state !== "reported") {
      return false;
    }
    await ctx.db.delete("bouts", bout._id);
    return true;
  },
});

export const confirm = internalMutation({
  args: { bout: v.id("bouts") },
  handler: async (ctx, args) => {
    const bout = await ctx.db.get("bouts", args.bout);
    if (bout?.state !== "reported") {
      return null;
    }
    await ctx.db.patch("bouts", bout._id, { state: "confirmed" });
    await ctx.runMutation(internal.fencers.rate, { fencer: bout.winner, difference: POINTS });
    await ctx.runMutation(internal.fencers.rate, { fencer: bout.loser, difference: -POINTS });
    return null;
  },
});

export const pending = internalQuery({
  args: {},
  handler: async (ctx) => {
    const bouts = await ctx.db
      .query("bouts")
      .withIndex("by_state", (q) => q.eq("state", "reported"))
      .take(20);
    return bouts.map(({ _id, winner, loser }) => ({ _id, winner, loser }));
  },
});
