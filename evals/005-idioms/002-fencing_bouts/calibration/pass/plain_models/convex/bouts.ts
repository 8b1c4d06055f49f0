// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { internalMutation, internalQuery, mutation, type QueryCtx } from "./_generated/server";
import { transferPoints } from "./model/fencers";

async function stillReported(ctx: QueryCtx, id: Id<"bouts">) {
  const bout = await ctx.db.get(id);
  return bout && bout.state === "reported" ? bout : null;
}

export const report = mutation({
  args: { winner: v.id("fencers"), loser: v.id("fencers") },
  handler: async (ctx, args) => {
    if (args.winner === args.loser) throw new ConvexError("same fencer");
    const bout = await ctx.db.insert("bouts", { ...args, state: "reported" });
    const tomorrow = Date.now() + 86_400_000;
    await ctx.scheduler.runAt(tomorrow, internal.bouts.confirm, { bout });
    return bout;
  },
});

export const withdraw = mutation({
  args: { bout: v.id("bouts") },
  handler: async (ctx, args) => {
    const bout = await stillReported(ctx, args.bout);
    if (bout) await ctx.db.delete(bout._id);
    return bout !== null;
  },
});

export const confirm = internalMutation({
  args: { bout: v.id("bouts") },
  handler: async (ctx, args) => {
    const bout = await stillReported(ctx, args.bout);
    if (bout) {
      await transferPoints(ctx, { from: bout.loser, to: bout.winner, points: 10 });
      await ctx.db.patch(bout._id, { state: "confirmed" });
    }
    return null;
  },
});

export const pending = internalQuery({
  args: {},
  returns: v.array(
    v.object({ _id: v.id("bouts"), winner: v.id("fencers"), loser: v.id("fencers") }),
  ),
  handler: async (ctx) => {
    const open = ctx.db.query("bouts").withIndex("by_state", (q) => q.eq("state", "reported"));
    return (await open.order("asc").take(20)).map((bout) => ({
      _id: bout._id,
      winner: bout.winner,
      loser: bout.loser,
    }));
  },
});
