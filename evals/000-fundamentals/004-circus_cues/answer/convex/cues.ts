// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc, Id } from "./_generated/dataModel";
import { internalMutation, type MutationCtx, mutation } from "./_generated/server";

export const giveNow = mutation({
  args: { act: v.string() },
  returns: v.id("cues"),
  handler: async (ctx, { act }) => await store(ctx, act, Date.now()),
});

export const giveIn = mutation({
  args: { act: v.string(), seconds: v.number() },
  returns: v.id("cues"),
  handler: async (ctx, { act, seconds }) => await store(ctx, act, Date.now() + seconds * 1000),
});

export const giveAt = mutation({
  args: { act: v.string(), at: v.number() },
  returns: v.id("cues"),
  handler: async (ctx, { act, at }) => await store(ctx, act, at),
});

export const callOff = mutation({
  args: { cue: v.id("cues") },
  returns: v.boolean(),
  handler: async (ctx, args) => {
    const cue = await waiting(ctx, args.cue);
    if (cue === null) return false;
    await cancel(ctx, cue);
    await ctx.db.delete("cues", cue._id);
    return true;
  },
});

export const delay = mutation({
  args: { cue: v.id("cues"), seconds: v.number() },
  returns: v.boolean(),
  handler: async (ctx, args) => {
    const cue = await waiting(ctx, args.cue);
    if (cue === null) return false;
    await cancel(ctx, cue);
    await schedule(ctx, cue._id, cue.dueAt + args.seconds * 1000);
    return true;
  },
});

export const give = internalMutation({
  args: { cue: v.id("cues") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const cue = await waiting(ctx, args.cue);
    if (cue !== null) await ctx.db.patch("cues", cue._id, { givenAt: Date.now() });
    return null;
  },
});

async function store(ctx: MutationCtx, act: string, dueAt: number) {
  const cue = await ctx.db.insert("cues", { act, dueAt, givenAt: null });
  await schedule(ctx, cue, dueAt);
  return cue;
}

/** Schedules the run of a cue. A time that has passed is refused, and with it the whole mutation. */
async function schedule(ctx: MutationCtx, cue: Id<"cues">, dueAt: number) {
  if (dueAt < Date.now()) throw new ConvexError({ code: "past" });
  const run = await ctx.scheduler.runAt(dueAt, internal.cues.give, { cue });
  await ctx.db.patch("cues", cue, { dueAt, run });
}

async function waiting(ctx: MutationCtx, id: Id<"cues">) {
  const cue = await ctx.db.get("cues", id);
  return cue?.givenAt === null ? cue : null;
}

async function cancel(ctx: MutationCtx, cue: Doc<"cues">) {
  if (cue.run !== undefined) await ctx.scheduler.cancel(cue.run);
}
