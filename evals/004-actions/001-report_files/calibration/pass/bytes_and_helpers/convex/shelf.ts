// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, internalQuery } from "./_generated/server";
import schema from "./schema";

export const put = internalMutation({
  args: { report: schema.tables.reports.validator },
  handler: (ctx, { report }) => ctx.db.insert("reports", report),
});

export const fileOf = internalQuery({
  args: { report: v.id("reports") },
  handler: async (ctx, { report }) => {
    const found = await ctx.db.get("reports", report);
    return found?.file ?? null;
  },
});
