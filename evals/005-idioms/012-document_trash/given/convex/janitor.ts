// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";

const DAY = 24 * 60 * 60 * 1000;
const MOST_FILES = 500;

/** Deletes files that were uploaded and never attached. */
export const sweep = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const files = await ctx.db.system.query("_storage").order("desc").take(MOST_FILES);
    for (const file of files) {
      if (file._creationTime > Date.now() - DAY) continue;
      const attachment = await ctx.db
        .query("attachments")
        .withIndex("by_file", (q) => q.eq("file", file._id))
        .first();
      if (attachment === null) await ctx.storage.delete(file._id);
    }
    return null;
  },
});
