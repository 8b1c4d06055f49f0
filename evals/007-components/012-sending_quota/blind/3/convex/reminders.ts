// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

import { internal } from "./_generated/api";
import { internalMutation, mutation } from "./_generated/server";
import { requireMember } from "./lib/access";
import { channel } from "./schema";

/** Sends a message at some time later. */
export const plan = mutation({
  args: {
    workspace: v.id("workspaces"),
    channel,
    to: v.string(),
    text: v.string(),
    at: v.number(),
  },
  returns: v.id("reminders"),
  handler: async (ctx, args) => {
    await requireMember(ctx, args.workspace);
    return await ctx.db.insert("reminders", args);
  },
});

/** Sends what is due, called by a cron. What is refused is dropped. */
export const sendDue = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx): Promise<null> => {
    const due = await ctx.db
      .query("reminders")
      .withIndex("by_at", (q) => q.lte("at", Date.now()))
      .take(50);
    for (const { _id, workspace, channel: of, to, text } of due) {
      await ctx.db.delete("reminders", _id);
      try {
        await ctx.runMutation(internal.messages.put, { workspace, channel: of, to, text });
      } catch (error) {
        console.warn(`dropped the reminder ${_id}`, error);
      }
    }
    return null;
  },
});
