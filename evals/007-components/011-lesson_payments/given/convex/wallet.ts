// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { components } from "./_generated/api";
import { internalMutation, query } from "./_generated/server";
import { requireUser } from "./lib/session";

/** The ref of our own account in the purse, which gets the fees. */
export const PLATFORM = "platform";

/** The user's money in cents: what can be spent, and what is held for lessons. */
export const balance = query({
  args: {},
  returns: v.object({ available: v.number(), held: v.number() }),
  handler: async (ctx): Promise<{ available: number; held: number }> => {
    const { account } = await requireUser(ctx);
    const money = await ctx.runQuery(components.purse.accounts.get, { account });
    return { available: Number(money?.available ?? 0n), held: Number(money?.held ?? 0n) };
  },
});

/** Keeps a payment of the card service; it reports a payment until it is answered. */
export const topUp = internalMutation({
  args: { user: v.id("users"), cents: v.number(), payment: v.string() },
  returns: v.null(),
  handler: async (ctx, { user: id, cents, payment }) => {
    const user = await ctx.db.get("users", id);
    if (user === null) return null;
    await ctx.runMutation(components.purse.accounts.credit, {
      account: user.account,
      amount: BigInt(cents),
      reference: `topup/${payment}`,
    });
    return null;
  },
});
