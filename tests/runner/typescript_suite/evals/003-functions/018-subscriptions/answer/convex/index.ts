import { v } from "convex/values";
import { mutation, query } from "./_generated/server";

export const add = mutation({
  args: { n: v.number() },
  handler: async (ctx, { n }) => {
    await ctx.db.insert("counts", { n });
  },
});

export const total = query({
  args: {},
  handler: async (ctx) => {
    let sum = 0;
    for await (const { n } of ctx.db.query("counts")) sum += n;
    return sum;
  },
});
