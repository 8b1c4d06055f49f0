// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { paginationOptsValidator } from "convex/server";
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { requireStaff } from "./model/staff";

/** Where the browser sends a file from the bank. */
export const uploadUrl = mutation({
  args: {},
  returns: v.string(),
  handler: async (ctx) => {
    await requireStaff(ctx);
    return await ctx.storage.generateUploadUrl();
  },
});

export const latest = query({
  args: {},
  handler: async (ctx) => {
    await requireStaff(ctx);
    const statements = await ctx.db.query("statements").order("desc").take(30);
    return statements.map(({ _id, name, summary }) => ({ _id, name, summary }));
  },
});

/** What became of each line, as far as the statement is booked. */
export const lines = query({
  args: { statement: v.id("statements"), paginationOpts: paginationOptsValidator },
  handler: async (ctx, { statement, paginationOpts }) => {
    await requireStaff(ctx);
    const result = await ctx.db
      .query("lines")
      .withIndex("by_statement", (q) => q.eq("statement", statement))
      .paginate(paginationOpts);
    return { ...result, page: result.page.map(({ number, text }) => ({ number, text })) };
  },
});
