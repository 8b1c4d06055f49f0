// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, internalQuery } from "./_generated/server";

export const first = internalQuery({
  args: {},
  handler: async (ctx) => {
    const page = await ctx.db.query("claims").withIndex("by_number").order("asc").take(100);
    return page.map(({ number, holder, hectares }) => ({ number, holder, hectares }));
  },
});

export const one = internalQuery({
  args: { number: v.string() },
  handler: async (ctx, args) => {
    const found = await ctx.db
      .query("claims")
      .withIndex("by_number", (q) => q.eq("number", args.number))
      .first();
    if (!found) return null;
    const { _id, _creationTime, ...claim } = found;
    return claim;
  },
});

export const enter = internalMutation({
  args: { number: v.string(), holder: v.string(), hectares: v.number() },
  handler: async (ctx, args) => {
    const found = await ctx.db
      .query("claims")
      .withIndex("by_number", (q) => q.eq("number", args.number))
      .first();
    if (found) await ctx.db.patch("claims", found._id, args);
    else await ctx.db.insert("claims", args);
    return { ...args, created: !found };
  },
});

export const strike = internalMutation({
  args: { number: v.string() },
  handler: async (ctx, args) => {
    const found = await ctx.db
      .query("claims")
      .withIndex("by_number", (q) => q.eq("number", args.number))
      .collect();
    for (const claim of found) await ctx.db.delete("claims", claim._id);
    return found.length;
  },
});
