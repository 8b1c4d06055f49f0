// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { internalMutation } from "./_generated/server";
import { recount } from "./model/tallies";

/** The events of a call. Their minutes are read again, with two tallies for each. */
const EVENTS = 300;

export const next = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    const state = await ctx.db.query("migration").unique();
    const begin = { cursor: null, isDone: false };
    const id = state?._id ?? (await ctx.db.insert("migration", begin));
    const { cursor, isDone: wasDone } = state ?? begin;
    if (wasDone) return true;
    const events = await ctx.db
      .query("events")
      .withIndex("by_meter")
      .paginate({ cursor, numItems: EVENTS });
    const moments = new Map<Id<"meters">, number[]>();
    for (const { meter, at } of events.page)
      moments.set(meter, [...(moments.get(meter) ?? []), at]);
    for (const [meter, all] of moments) await recount(ctx, meter, all);
    const { isDone, continueCursor } = events;
    await ctx.db.patch("migration", id, { cursor: continueCursor, isDone });
    return isDone;
  },
});
