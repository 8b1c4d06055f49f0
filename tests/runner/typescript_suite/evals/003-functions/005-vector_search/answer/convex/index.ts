import { v } from "convex/values";
import { internal } from "./_generated/api";
import { action, internalQuery } from "./_generated/server";

export const nearest = action({
  args: { at: v.array(v.number()), limit: v.optional(v.number()) },
  handler: async (ctx, { at, limit }): Promise<string[]> => {
    const results = await ctx.vectorSearch("points", "by_at", { vector: at, limit });
    return await ctx.runQuery(internal.index.names, { ids: results.map(({ _id }) => _id) });
  },
});

export const names = internalQuery({
  args: { ids: v.array(v.id("points")) },
  handler: async (ctx, { ids }) => {
    const points = await Promise.all(ids.map((id) => ctx.db.get(id)));
    return points.map((point) => point?.name ?? "");
  },
});
