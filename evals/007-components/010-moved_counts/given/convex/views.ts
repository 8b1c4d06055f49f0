// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ShardedCounter } from "@convex-dev/sharded-counter";
import { v } from "convex/values";
import { components } from "./_generated/api";
import { mutation, query } from "./_generated/server";
import { getIdea } from "./model/ideas";

const views = new ShardedCounter<string>(components.views);

/** Counts a look at an idea's page, whoever looks. */
export const count = mutation({
  args: { idea: v.id("ideas") },
  returns: v.null(),
  handler: async (ctx, { idea }) => {
    await getIdea(ctx, idea);
    await views.inc(ctx, idea);
    return null;
  },
});

export const ofIdea = query({
  args: { idea: v.id("ideas") },
  returns: v.number(),
  handler: async (ctx, { idea }) => {
    await getIdea(ctx, idea);
    return await views.count(ctx, idea);
  },
});
