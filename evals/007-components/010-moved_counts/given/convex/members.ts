// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { refuse } from "./lib/errors";
import { requireMember } from "./lib/session";
import { memberKey, votes } from "./model/counts";

export const join = mutation({
  args: { name: v.string() },
  returns: v.id("members"),
  handler: async (ctx, { name }) => {
    const identity = await ctx.auth.getUserIdentity();
    if (identity === null) refuse("not_signed_in");
    const existing = await ctx.db
      .query("members")
      .withIndex("by_subject", (q) => q.eq("subject", identity.subject))
      .unique();
    if (existing !== null) return existing._id;
    return await ctx.db.insert("members", { subject: identity.subject, name });
  },
});

export const me = query({
  args: {},
  returns: v.object({ name: v.string(), votes: v.number() }),
  handler: async (ctx) => {
    const { _id, name } = await requireMember(ctx);
    return { name, votes: await votes.count(ctx, memberKey(_id)) };
  },
});
