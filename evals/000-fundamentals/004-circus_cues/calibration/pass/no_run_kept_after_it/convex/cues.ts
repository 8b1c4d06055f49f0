// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { internalMutation, mutation, type MutationCtx } from "./_generated/server";

/** Sees that a cue is given when it is due, instead of when it was. */
async function arm(ctx: MutationCtx, id: Id<"cues">, dueAt: number) {
  const wait = dueAt - Date.now();
  if (wait < 0) throw new ConvexError({ code: "past" });
  const cue = await ctx.db.get(id);
  if (cue?.run) await ctx.scheduler.cancel(cue.run);
  const run = await ctx.scheduler.runAfter(wait, internal.cues.give, { cue: id });
  await ctx.db.patch(id, { dueAt, run });
  return id;
}

async function add(ctx: MutationCtx, act: string, dueAt: number) {
  const id = await ctx.db.insert("cues", { act, dueAt, givenAt: null });
  return await arm(ctx, id, dueAt);
}

export const giveNow = mutation({
  args: { act: v.string() },
  handler: (ctx, { act }) => add(ctx, act, Date.now()),
});

export const giveIn = mutation({
  args: { act: v.string(), seconds: v.number() },
  handler: (ctx, { act, seconds }) => add(ctx, act, Date.now() + 1000 * seconds),
});

export const giveAt = mutation({
  args: { act: v.string(), at: v.number() },
  handler: (ctx, { act, at }) => add(ctx, act, at),
});

export const callOff = mutation({
  args: { cue: v.id("cues") },
  handler: async (ctx, { cue }) => {
    const run = (await ctx.db.get(cue))?.run;
    if (run === undefined) return false;
    await ctx.scheduler.cancel(run);
    await ctx.db.delete(cue);
    return true;
  },
});

export const delay = mutation({
  args: { cue: v.id("cues"), seconds: v.number() },
  handler: async (ctx, { cue, seconds }) => {
    const found = await ctx.db.get(cue);
    if (!found?.run) return false;
    await arm(ctx, cue, found.dueAt + 1000 * seconds);
    return true;
  },
});

// A cue has a run as long as it waits.
export const give = internalMutation({
  args: { cue: v.id("cues") },
  handler: async (ctx, { cue }) => {
    const found = await ctx.db.get(cue);
    if (found?.run) await ctx.db.patch(cue, { givenAt: Date.now(), run: undefined });
    return null;
  },
});
