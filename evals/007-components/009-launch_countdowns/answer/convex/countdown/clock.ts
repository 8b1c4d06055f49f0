// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { FunctionHandle } from "convex/server";
import { v } from "convex/values";
import { internal } from "./_generated/api";
import {
  internalMutation,
  internalQuery,
  mutation,
  type MutationCtx,
} from "./_generated/server";

async function stop(ctx: MutationCtx, label: string): Promise<boolean> {
  const countdown = await ctx.db
    .query("running")
    .withIndex("by_label", (q) => q.eq("label", label))
    .unique();
  if (countdown === null) {
    return false;
  }
  if (countdown.job !== undefined) {
    await ctx.scheduler.cancel(countdown.job);
  }
  await ctx.db.delete("running", countdown._id);
  return true;
}

export const start = mutation({
  args: { label: v.string(), seconds: v.number(), handle: v.string() },
  returns: v.null(),
  handler: async (ctx, { label, seconds, handle }) => {
    await stop(ctx, label);
    const countdown = await ctx.db.insert("running", { label, handle });
    const job = await ctx.scheduler.runAfter(seconds * 1000, internal.clock.end, { countdown });
    await ctx.db.patch("running", countdown, { job });
    return null;
  },
});

export const halt = mutation({
  args: { label: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { label }) => await stop(ctx, label),
});

export const end = internalMutation({
  args: { countdown: v.id("running") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const countdown = await ctx.db.get("running", args.countdown);
    if (countdown === null) {
      return null;
    }
    await ctx.db.delete("running", countdown._id);
    const handle = countdown.handle as FunctionHandle<"mutation", { label: string }>;
    await ctx.runMutation(handle, { label: countdown.label });
    return null;
  },
});

export const labels = internalQuery({
  args: {},
  returns: v.array(v.string()),
  handler: async (ctx) => {
    const countdowns = await ctx.db.query("running").withIndex("by_label").collect();
    return countdowns.map(({ label }) => label);
  },
});
