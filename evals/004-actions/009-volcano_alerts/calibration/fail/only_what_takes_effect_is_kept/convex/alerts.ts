// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, query, type QueryCtx } from "./_generated/server";
import { level as alertLevel } from "./schema";

/** Looks up, decides and writes within one transaction: repetitions may come side by side. */
export const receive = internalMutation({
  args: { event: v.string(), volcano: v.string(), level: alertLevel, sequence: v.number() },
  returns: v.union(v.literal("repeated"), v.literal("outdated"), v.literal("applied")),
  handler: async (ctx, { event, volcano, level, sequence }) => {
    const received = await ctx.db
      .query("events")
      .withIndex("by_event", (q) => q.eq("event", event))
      .unique();
    if (received !== null) {
      return "repeated";
    }
    const known = await find(ctx, volcano);
    if (known !== null && known.sequence >= sequence) {
      return "outdated";
    }
    if (known === null) {
      await ctx.db.insert("volcanoes", { name: volcano, level, sequence });
    } else {
      await ctx.db.patch("volcanoes", known._id, { level, sequence });
    }
    await ctx.db.insert("changes", { volcano, level, sequence });
    await ctx.db.insert("events", { event });
    return "applied";
  },
});

export const level = query({
  args: { volcano: v.string() },
  returns: v.nullable(v.object({ level: alertLevel, sequence: v.number() })),
  handler: async (ctx, { volcano }) => {
    const known = await find(ctx, volcano);
    return known && { level: known.level, sequence: known.sequence };
  },
});

async function find(ctx: QueryCtx, name: string) {
  return await ctx.db
    .query("volcanoes")
    .withIndex("by_name", (q) => q.eq("name", name))
    .unique();
}
