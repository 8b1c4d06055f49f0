// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";

const MONTH = 30 * 24 * 60 * 60 * 1000;

/** Deletes what has been in the trash for long. */
export const emptyTrash = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const emails = await ctx.db
      .query("emails")
      .withIndex("by_folder", (q) => q.eq("folder", "trash"))
      .take(100);
    for (const email of emails)
      if (email.receivedAt < Date.now() - MONTH) await ctx.db.delete("emails", email._id);
    return null;
  },
});
