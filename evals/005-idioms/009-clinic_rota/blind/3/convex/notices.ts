// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { requireAdmin, requireMember } from "./model/access";

export const post = mutation({
  args: { clinic: v.id("clinics"), text: v.string() },
  returns: v.id("notices"),
  handler: async (ctx, notice) => {
    await requireAdmin(ctx, notice.clinic);
    return await ctx.db.insert("notices", notice);
  },
});

export const latest = query({
  args: { clinic: v.id("clinics") },
  handler: async (ctx, { clinic }) => {
    await requireMember(ctx, clinic);
    const notices = await ctx.db
      .query("notices")
      .withIndex("by_clinic", (q) => q.eq("clinic", clinic))
      .order("desc")
      .take(10);
    return notices.map(({ _id, text }) => ({ _id, text }));
  },
});
