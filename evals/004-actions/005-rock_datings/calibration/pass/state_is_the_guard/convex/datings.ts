// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import { mutation, query } from "./_generated/server";

const one = { dating: v.id("datings") };
const TEN_MINUTES = 600_000;

export const order = mutation({
  args: { sample: v.string(), grams: v.number() },
  handler: async (ctx, args) => {
    const id = await ctx.db.insert("datings", { ...args, outcome: { state: "waiting" } });
    await ctx.scheduler.runAt(Date.now() + TEN_MINUTES, internal.laboratory.send, { id });
    return id;
  },
});

export const get = query({
  args: one,
  handler: async (ctx, args) => {
    const found = await ctx.db.get(args.dating);
    if (!found) throw new ConvexError("no such dating");
    return { sample: found.sample, grams: found.grams, outcome: found.outcome };
  },
});

export const withdraw = mutation({
  args: one,
  handler: async (ctx, { dating }) => {
    const found = await ctx.db.get(dating);
    if (!found) throw new ConvexError("no such dating");
    if (found.outcome.state !== "waiting") return false;
    await ctx.db.patch(dating, { outcome: { state: "withdrawn" } });
    return true;
  },
});

export const reorder = mutation({
  args: one,
  handler: async (ctx, { dating }) => {
    const found = await ctx.db.get(dating);
    if (!found) throw new ConvexError("no such dating");
    if (found.outcome.state !== "failed") return false;
    await ctx.db.patch(dating, { outcome: { state: "waiting" } });
    await ctx.scheduler.runAt(Date.now() + TEN_MINUTES, internal.laboratory.send, { id: dating });
    return true;
  },
});
