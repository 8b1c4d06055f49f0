import { v } from "convex/values";
import type { MutationCtx } from "./_generated/server";
import { mutation } from "./_generated/server";

async function change(ctx: MutationCtx, name: string, by: number) {
  const account = await ctx.db
    .query("accounts")
    .withIndex("by_name", (q) => q.eq("name", name))
    .unique();
  if (!account || account.money + by < 0) throw new Error(`${name} cannot pay`);
  await ctx.db.patch(account._id, { money: account.money + by });
}

export const pay = mutation({
  args: { from: v.string(), to: v.string(), amount: v.number() },
  handler: async (ctx, { from, to, amount }) => {
    await change(ctx, from, -amount);
    await change(ctx, to, amount);
  },
});
