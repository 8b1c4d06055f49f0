// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";

/** Tells users of what begins in ten minutes. */
export const sendDue = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const due = await ctx.db
      .query("reminders")
      .withIndex("by_sent_and_at", (q) => q.eq("sent", false).lte("at", Date.now()))
      .take(100);
    for (const reminder of due) {
      await ctx.db.patch("reminders", reminder._id, { sent: true });
      const event = await ctx.db.get("events", reminder.event);
      if (event !== null) {
        await ctx.db.insert("messages", { to: event.owner, text: `Soon: ${event.title}` });
      }
    }
    return null;
  },
});
