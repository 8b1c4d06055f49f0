// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { getOwnEvent } from "./model/access";

/** Notes are our users' own; Kalendo does not know them. */
export const add = mutation({
  args: { event: v.id("events"), text: v.string() },
  returns: v.null(),
  handler: async (ctx, { event, text }) => {
    await getOwnEvent(ctx, event);
    await ctx.db.insert("notes", { event, text });
    return null;
  },
});

export const list = query({
  args: { event: v.id("events") },
  returns: v.array(v.string()),
  handler: async (ctx, { event }) => {
    await getOwnEvent(ctx, event);
    const notes = await ctx.db
      .query("notes")
      .withIndex("by_event", (q) => q.eq("event", event))
      .take(100);
    return notes.map(({ text }) => text);
  },
});
