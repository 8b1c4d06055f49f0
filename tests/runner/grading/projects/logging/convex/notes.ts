import { internal } from "./_generated/api";
import { internalMutation, mutation, query } from "./_generated/server";

export const value = query({
  args: {},
  handler: async () => {
    console.log("in a query");
    return 42;
  },
});

export const later = mutation({
  args: {},
  handler: async (ctx) => {
    await ctx.scheduler.runAfter(0, internal.notes.job, {});
    return null;
  },
});

export const job = internalMutation({
  args: {},
  handler: async () => {
    console.warn("in a job");
    return null;
  },
});
