// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, internalQuery, type QueryCtx } from "./_generated/server";

function find(ctx: QueryCtx, hut: string) {
  return ctx.db
    .query("credentials")
    .withIndex("by_hut", (q) => q.eq("hut", hut))
    .unique();
}

export const get = internalQuery({
  args: { hut: v.string() },
  handler: async (ctx, { hut }) => await find(ctx, hut),
});

export const put = internalMutation({
  args: { credential: v.object({ hut: v.string(), salt: v.string(), hash: v.string() }) },
  handler: async (ctx, { credential }) => {
    const old = await find(ctx, credential.hut);
    if (old) {
      await ctx.db.replace("credentials", old._id, credential);
    } else {
      await ctx.db.insert("credentials", credential);
    }
  },
});
