// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { paginationOptsValidator } from "convex/server";
import { v } from "convex/values";

import { mutation, query } from "./_generated/server";
import { line } from "./schema";

export const ofLine = query({
  args: { line, paginationOpts: paginationOptsValidator },
  handler: async (ctx, args) => {
    return await ctx.db
      .query("crossings")
      .withIndex("by_line", (q) => q.eq("line", args.line))
      .order("desc")
      .paginate(args.paginationOpts);
  },
});

export const log = mutation({
  args: { line, ship: v.string(), cars: v.number() },
  handler: async (ctx, args) => {
    return await ctx.db.insert("crossings", args);
  },
});
