import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, mutation, query } from "./_generated/server";

export const add = mutation({
  args: { n: v.number() },
  handler: async (ctx, { n }) => {
    const identity = await ctx.auth.getUserIdentity();
    if (!identity) throw new Error("not signed in");
    const id = await ctx.db.insert("counters", { owner: identity.subject, n });
    await ctx.scheduler.runAfter(60_000, internal.counters.drop, { id });
  },
});
export const drop = internalMutation({
  args: { id: v.id("counters") },
  handler: async (ctx, { id }) => { await ctx.db.delete(id); },
});
export const sum = query({
  args: {},
  handler: async (ctx) => {
    const all = await ctx.db.query("counters").collect();
    return all.reduce((sum, { n }) => sum + n, 0);
  },
});
