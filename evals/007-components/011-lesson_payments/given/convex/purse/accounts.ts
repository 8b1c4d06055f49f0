// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { checkAmount, findUse, getAccount } from "./checks";

export const open = mutation({
  args: { ref: v.string() },
  returns: v.string(),
  handler: async (ctx, { ref }) => {
    const account = await ctx.db
      .query("accounts")
      .withIndex("by_ref", (q) => q.eq("ref", ref))
      .unique();
    if (account !== null) return account._id;
    return await ctx.db.insert("accounts", { ref, available: 0n, held: 0n });
  },
});

export const get = query({
  args: { account: v.string() },
  returns: v.nullable(v.object({ available: v.int64(), held: v.int64() })),
  handler: async (ctx, { account: text }) => {
    const id = ctx.db.normalizeId("accounts", text);
    const account = id && (await ctx.db.get("accounts", id));
    return account ? { available: account.available, held: account.held } : null;
  },
});

export const credit = mutation({
  args: { account: v.string(), amount: v.int64(), reference: v.string() },
  returns: v.null(),
  handler: async (ctx, { account: text, amount, reference }) => {
    checkAmount(amount);
    const account = await getAccount(ctx, text);
    const use = { reference, account, amount, isHold: false };
    if ((await findUse(ctx, use)) !== null) return null;
    await ctx.db.patch("accounts", account._id, { available: account.available + amount });
    await ctx.db.insert("references", { reference, account: account._id, amount });
    return null;
  },
});
