import { query } from "./_generated/server";

export const list = query({
  args: {},
  handler: async (ctx) => (await ctx.db.query("rows").take(100)).map(({ n }) => n),
});
