// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, internalQuery } from "./_generated/server";

export const add = internalMutation({
  args: { cave: v.string(), file: v.id("_storage"), contentType: v.string() },
  returns: v.id("scans"),
  handler: async (ctx, scan) => await ctx.db.insert("scans", scan),
});

export const find = internalQuery({
  args: { id: v.id("scans") },
  returns: v.nullable(
    v.object({ cave: v.string(), file: v.id("_storage"), contentType: v.string() }),
  ),
  handler: async (ctx, { id }) => {
    const scan = await ctx.db.get("scans", id);
    return scan && { cave: scan.cave, file: scan.file, contentType: scan.contentType };
  },
});
