// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { query } from "./_generated/server";

const AT_MOST = 10;

export const inHouse = query({
  args: { kennel: v.string(), limit: v.number() },
  handler: async (ctx, { kennel, limit }) => {
    if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
      throw new ConvexError("bad limit");
    }
    return await ctx.db
      .query("stays")
      .withIndex("by_kennel_and_state", (q) => q.eq("kennel", kennel).eq("state", "boarding"))
      .take(limit);
  },
});

export const arrivals = query({
  args: { kennel: v.string(), after: v.number(), before: v.number() },
  handler: async (ctx, { kennel, after, before }) => {
    return await ctx.db
      .query("stays")
      .withIndex("by_kennel_and_state", (q) =>
        q.eq("kennel", kennel).eq("state", "booked").gte("from", after).lt("from", before),
      )
      .take(AT_MOST);
  },
});

export const ofDog = query({
  args: { chip: v.string(), kennel: v.optional(v.string()) },
  handler: async (ctx, { chip, kennel }) => {
    const stays = ctx.db.query("stays");
    const ofChip =
      kennel === undefined
        ? stays.withIndex("by_chip", (q) => q.eq("chip", chip))
        : stays.withIndex("by_chip_and_kennel", (q) => q.eq("chip", chip).eq("kennel", kennel));
    return await ofChip.order("desc").take(AT_MOST);
  },
});

export const lastIn = query({
  args: { kennel: v.string(), run: v.string() },
  handler: async (ctx, { kennel, run }) => {
    return await ctx.db
      .query("stays")
      .withIndex("by_run", (q) => q.eq("kennel", kennel).eq("state", "left").eq("run", run))
      .collect()
      .then((left) => left.at(-1) ?? null);
  },
});

export const unassigned = query({
  args: { kennel: v.string() },
  handler: async (ctx, { kennel }) => {
    return await ctx.db
      .query("stays")
      .withIndex("by_run", (q) => q.eq("kennel", kennel).eq("state", "booked").eq("run", undefined))
      .take(AT_MOST);
  },
});
