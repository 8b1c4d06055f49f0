// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation } from "./_generated/server";
import { callerOf } from "./lib/caller";
import { MAX_SEATS } from "./lib/rules";
import { openEvent } from "./model/events";

/** Waits for seats. Who waits already waits on in the old place, for the new number of seats. */
export const join = mutation({
  args: { event: v.id("events"), count: v.number() },
  returns: v.null(),
  handler: async (ctx, { event, count }) => {
    const person = await callerOf(ctx);
    await openEvent(ctx, event);
    if (!Number.isInteger(count) || count < 1 || count > MAX_SEATS) {
      throw new ConvexError("bad_count");
    }
    const entries = await ctx.db
      .query("waiting")
      .withIndex("by_person", (q) => q.eq("person", person))
      .collect();
    const entry = entries.find((each) => each.event === event);
    if (entry === undefined) await ctx.db.insert("waiting", { event, person, count });
    else await ctx.db.patch("waiting", entry._id, { count });
    return null;
  },
});

export const leave = mutation({
  args: { event: v.id("events") },
  returns: v.null(),
  handler: async (ctx, { event }) => {
    const person = await callerOf(ctx);
    const entries = await ctx.db
      .query("waiting")
      .withIndex("by_person", (q) => q.eq("person", person))
      .collect();
    for (const entry of entries) {
      if (entry.event === event) await ctx.db.delete("waiting", entry._id);
    }
    return null;
  },
});
