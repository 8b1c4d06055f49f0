// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";

export const create = mutation({
  args: { name: v.string(), rate: v.number() },
  returns: v.id("members"),
  handler: async (ctx, args) => {
    if (!Number.isInteger(args.rate) || args.rate < 0) throw new ConvexError("bad_rate");
    return await ctx.db.insert("members", { ...args, minutes: 0 });
  },
});

/** A new rate counts for what is logged from now on. */
export const setRate = mutation({
  args: { member: v.id("members"), rate: v.number() },
  returns: v.null(),
  handler: async (ctx, { member, rate }) => {
    if (!Number.isInteger(rate) || rate < 0) throw new ConvexError("bad_rate");
    await ctx.db.patch("members", member, { rate });
    return null;
  },
});

export const get = query({
  args: { member: v.id("members") },
  returns: v.union(
    v.null(),
    v.object({ name: v.string(), rate: v.number(), minutes: v.number() }),
  ),
  handler: async (ctx, args) => {
    const member = await ctx.db.get("members", args.member);
    return member && { name: member.name, rate: member.rate, minutes: member.minutes };
  },
});
