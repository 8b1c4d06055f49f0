// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalAction, internalMutation, internalQuery } from "./_generated/server";

export const due = internalQuery({
  args: { day: v.string() },
  handler: async (ctx, { day }) => {
    const shifts = await ctx.db
      .query("shifts")
      .withIndex("by_day", (q) => q.eq("day", day))
      .collect();
    return shifts.filter((shift) => !shift.reminded).map(({ _id, note }) => ({ _id, note }));
  },
});

export const mark = internalMutation({
  args: { shift: v.id("shifts") },
  returns: v.null(),
  handler: async (ctx, { shift }) => {
    await ctx.db.patch("shifts", shift, { reminded: true });
    return null;
  },
});

/** Reminds of the shifts of tomorrow. */
export const send = internalAction({
  args: {},
  returns: v.null(),
  handler: async (ctx): Promise<null> => {
    const day = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
    for (const shift of await ctx.runQuery(internal.reminders.due, { day })) {
      await fetch("https://push.test/send", { method: "POST", body: shift.note });
      await ctx.runMutation(internal.reminders.mark, { shift: shift._id });
    }
    return null;
  },
});
