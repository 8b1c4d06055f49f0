import { mutation } from "./_generated/server";

export const measure = mutation({
  args: {},
  handler: async (ctx) => {
    const id = await ctx.db.insert("rows", { n: 1 });
    await ctx.db.insert("rows", { n: 2 });
    await ctx.db.get(id);
    return await ctx.meta.getTransactionMetrics();
  },
});
