import { v } from "convex/values";
import { internal } from "./_generated/api";
import { action, internalAction, internalMutation, mutation } from "./_generated/server";
import type { ActionCtx } from "./_generated/server";

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export const mark = internalMutation({
  args: { text: v.string() },
  handler: async (ctx, { text }) => {
    await ctx.db.insert("marks", { text, at: Date.now() });
  },
});

/** How an action schedules: by itself, by a mutation, or by an action that it calls. */
const how = v.union(v.literal("itself"), v.literal("mutation"), v.literal("action"));

async function scheduleMark(ctx: ActionCtx, by: "itself" | "mutation" | "action") {
  if (by === "itself") await ctx.scheduler.runAfter(0, internal.runs.mark, { text: "child" });
  else if (by === "mutation") await ctx.runMutation(internal.runs.scheduleOuter, {});
  else await ctx.runAction(internal.runs.scheduleLater, { by: "mutation", ms: 0 });
}

export const scheduleMarkNow = internalMutation({
  args: {},
  handler: async (ctx) => {
    await ctx.scheduler.runAfter(0, internal.runs.mark, { text: "child" });
  },
});

export const scheduleOuter = internalMutation({
  args: {},
  handler: async (ctx): Promise<null> => ctx.runMutation(internal.runs.scheduleMarkNow, {}),
});

/** Waits, and then schedules a mark. */
export const scheduleLater = internalAction({
  args: { by: how, ms: v.number() },
  handler: async (ctx, { by, ms }): Promise<void> => {
    await wait(ms);
    await scheduleMark(ctx, by);
  },
});

export const start = mutation({
  args: { by: how },
  handler: (ctx, { by }) => ctx.scheduler.runAfter(0, internal.runs.scheduleLater, { by, ms: 30_000 }),
});

export const cancel = mutation({
  args: { id: v.id("_scheduled_functions") },
  handler: (ctx, { id }) => ctx.scheduler.cancel(id),
});

/** Cancels the job that it runs in, and then schedules. */
export const cancelItself = internalMutation({
  args: {},
  handler: async (ctx) => {
    const [job] = await ctx.db.system.query("_scheduled_functions").order("desc").take(1);
    await ctx.scheduler.cancel(job._id);
    await ctx.scheduler.runAfter(0, internal.runs.mark, { text: "child" });
  },
});

export const startCancelItself = mutation({
  args: {},
  handler: (ctx) => ctx.scheduler.runAfter(0, internal.runs.cancelItself, {}),
});

export const scheduleOutsideOfJobs = action({
  args: {},
  handler: (ctx) => ctx.scheduler.runAfter(0, internal.runs.mark, { text: "child" }),
});

/** Works for a time. */
export const work = internalAction({
  args: { ms: v.number() },
  handler: async (ctx, { ms }) => {
    await ctx.runMutation(internal.runs.mark, { text: "begin" });
    await wait(ms);
    await ctx.runMutation(internal.runs.mark, { text: "end" });
  },
});
