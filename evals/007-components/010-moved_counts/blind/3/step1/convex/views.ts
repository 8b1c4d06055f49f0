// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { views } from "./model/counts";
import { getIdea } from "./model/ideas";

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
