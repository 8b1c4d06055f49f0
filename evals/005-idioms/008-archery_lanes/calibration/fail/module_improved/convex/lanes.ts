// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { internalMutation, mutation, query } from "./_generated/server";
import type { MutationCtx, QueryCtx } from "./_generated/server";

async function archerOf(ctx: QueryCtx) {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) throw new ConvexError("not signed in");
  return identity.tokenIdentifier;
}

async function checkHold(ctx: QueryCtx, id: Id<"holds">) {
  const archer = await archerOf(ctx);
  const hold = await ctx.db.get("holds", id);
  if (hold?.archer !== archer) throw new ConvexError("no such hold");
}

function arrowsOf(ctx: QueryCtx, id: Id<"holds">) {
  return ctx.db.query("arrows").withIndex("by_hold", (q) => q.eq("hold", id)).collect();
}

async function removeHold(ctx: MutationCtx, id: Id<"holds">) {
  for (const arrow of await arrowsOf(ctx, id)) await ctx.db.delete("arrows", arrow._id);
  await ctx.db.delete("holds", id);
}

export const take = mutation({
  args: { lane: v.number() },
  handler: async (ctx, { lane }) => {
    const archer = await archerOf(ctx);
    const holds = ctx.db.query("holds").withIndex("by_lane", (q) => q.eq("lane", lane));
    if ((await holds.first()) !== null) throw new ConvexError("lane taken");
    const id = await ctx.db.insert("holds", { lane, archer });
    await ctx.scheduler.runAfter(30 * 60 * 1000, internal.lanes.expire, { id });
    return id;
  },
});

export const shoot = mutation({
  args: { hold: v.id("holds"), points: v.number() },
  handler: async (ctx, { hold, points }) => {
    await checkHold(ctx, hold);
    if (!Number.isInteger(points) || points < 0 || points > 10) throw new ConvexError("no such score");
    await ctx.db.insert("arrows", { hold, points });
    return null;
  },
});

export const sheet = query({
  args: { hold: v.id("holds") },
  handler: async (ctx, { hold }) => {
    await checkHold(ctx, hold);
    return (await arrowsOf(ctx, hold)).map((arrow) => arrow.points);
  },
});

export const leave = mutation({
  args: { hold: v.id("holds") },
  handler: async (ctx, { hold }) => {
    await checkHold(ctx, hold);
    await removeHold(ctx, hold);
    return null;
  },
});

export const expire = internalMutation({
  args: { id: v.id("holds") },
  handler: async (ctx, { id }) => {
    if ((await ctx.db.get("holds", id)) !== null) await removeHold(ctx, id);
  },
});
