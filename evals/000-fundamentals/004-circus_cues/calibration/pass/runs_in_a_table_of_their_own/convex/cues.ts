// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { internalMutation, type MutationCtx, mutation } from "./_generated/server";

const notPast = (time: number) => {
  if (time < Date.now()) throw new ConvexError({ code: "past" });
};

async function runOf(ctx: MutationCtx, cue: Id<"cues">) {
  const kept = await ctx.db
    .query("runs")
    .withIndex("by_cue", (q) => q.eq("cue", cue))
    .unique();
  if (kept === null) return null;
  const run = await ctx.db.system.get("_scheduled_functions", kept.run);
  return run?.state.kind === "pending" ? kept : null;
}

export const giveNow = mutation({
  args: { act: v.string() },
  handler: async (ctx, args) => {
    const cue = await ctx.db.insert("cues", { act: args.act, dueAt: Date.now(), givenAt: null });
    const run = await ctx.scheduler.runAfter(0, internal.cues.give, { cue });
    await ctx.db.insert("runs", { cue, run });
    return cue;
  },
});

export const giveIn = mutation({
  args: { act: v.string(), seconds: v.number() },
  handler: async (ctx, { act, seconds }) => {
    const wait = seconds * 1000;
    const dueAt = Date.now() + wait;
    notPast(dueAt);
    const cue = await ctx.db.insert("cues", { act, dueAt, givenAt: null });
    const run = await ctx.scheduler.runAfter(wait, internal.cues.give, { cue });
    await ctx.db.insert("runs", { cue, run });
    return cue;
  },
});

export const giveAt = mutation({
  args: { act: v.string(), at: v.number() },
  handler: async (ctx, { act, at }) => {
    notPast(at);
    const cue = await ctx.db.insert("cues", { act, dueAt: at, givenAt: null });
    const run = await ctx.scheduler.runAt(new Date(at), internal.cues.give, { cue });
    await ctx.db.insert("runs", { cue, run });
    return cue;
  },
});

export const callOff = mutation({
  args: { cue: v.id("cues") },
  handler: async (ctx, { cue }) => {
    const kept = await runOf(ctx, cue);
    if (!kept) return false;
    await Promise.all([
      ctx.scheduler.cancel(kept.run),
      ctx.db.delete(kept._id),
      ctx.db.delete(cue),
    ]);
    return true;
  },
});

export const delay = mutation({
  args: { cue: v.id("cues"), seconds: v.number() },
  handler: async (ctx, args) => {
    const kept = await runOf(ctx, args.cue);
    const cue = await ctx.db.get(args.cue);
    if (!kept || !cue) return false;
    const dueAt = cue.dueAt + args.seconds * 1000;
    notPast(dueAt);
    const run = await ctx.scheduler.runAt(dueAt, internal.cues.give, { cue: cue._id });
    await ctx.scheduler.cancel(kept.run);
    await ctx.db.patch(kept._id, { run });
    await ctx.db.patch(cue._id, { dueAt });
    return true;
  },
});

export const give = internalMutation({
  args: { cue: v.id("cues") },
  handler: async (ctx, args) => {
    const cue = await ctx.db.get(args.cue);
    if (cue && cue.givenAt === null) await ctx.db.patch(args.cue, { givenAt: Date.now() });
    return null;
  },
});
