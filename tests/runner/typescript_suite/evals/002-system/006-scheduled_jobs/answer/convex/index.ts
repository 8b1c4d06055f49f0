import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { internalAction, mutation } from "./_generated/server";

export const plan = mutation({
  args: {},
  handler: (ctx): Promise<Id<"_scheduled_functions">> =>
    ctx.scheduler.runAfter(60 * 60 * 1000, internal.index.work, {}),
});

export const drop = mutation({
  args: { id: v.id("_scheduled_functions") },
  handler: (ctx, { id }) => ctx.scheduler.cancel(id),
});

export const work = internalAction({ args: {}, handler: async () => null });
