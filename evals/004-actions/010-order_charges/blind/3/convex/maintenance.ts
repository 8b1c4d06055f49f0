// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation } from "./_generated/server";

const MAIL_MS = 30 * 24 * 60 * 60 * 1000;
const BATCH = 100;

/** Mails are kept for a month. */
export const dropOldMails = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const old = await ctx.db
      .query("mails")
      .withIndex("by_creation_time", (q) => q.lt("_creationTime", Date.now() - MAIL_MS))
      .take(BATCH);
    for (const mail of old) await ctx.db.delete("mails", mail._id);
    if (old.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.maintenance.dropOldMails, {});
    }
    return null;
  },
});
