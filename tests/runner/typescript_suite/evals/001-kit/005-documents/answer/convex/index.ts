import { query } from "./_generated/server";

export const sum = query({
  args: {},
  handler: async (ctx) => {
    const documents = await ctx.db.query("numbers").collect();
    return documents.reduce((total, { value }) => total + value, 0);
  },
});
