// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalAction, internalMutation, internalQuery } from "../_generated/server";
import { takeTurn } from "../model/refunds";
import { requestRefund } from "./paylane";

/** Tries a refund again, unless it is done, or was tried meanwhile. */
export const next = internalMutation({
  args: { refund: v.id("refunds") },
  returns: v.null(),
  handler: async (ctx, { refund: id }) => {
    const refund = await ctx.db.get("refunds", id);
    if (refund === null || refund.state === "done") return null;
    if (refund.nextAt !== undefined && refund.nextAt > Date.now() + 1000) return null;
    await takeTurn(ctx, id);
    return null;
  },
});

/** Sends a refund to Paylane. Its key is the refund's id. */
export const send = internalAction({
  args: { refund: v.id("refunds") },
  returns: v.null(),
  handler: async (ctx, { refund }): Promise<null> => {
    const waiting = await ctx.runQuery(internal.payments.refunds.describe, { refund });
    if (waiting === null) return null;
    try {
      await requestRefund(waiting.charge, waiting.amount, refund);
      await ctx.runMutation(internal.payments.refunds.finish, { refund });
    } catch (error) {
      console.error("Paylane", waiting.charge, error);
    }
    return null;
  },
});

export const describe = internalQuery({
  args: { refund: v.id("refunds") },
  returns: v.nullable(v.object({ charge: v.string(), amount: v.number() })),
  handler: async (ctx, { refund: id }) => {
    const refund = await ctx.db.get("refunds", id);
    if (refund === null || refund.state === "done") return null;
    return { charge: refund.charge, amount: refund.amount };
  },
});

export const finish = internalMutation({
  args: { refund: v.id("refunds") },
  returns: v.null(),
  handler: async (ctx, { refund }) => {
    await ctx.db.patch("refunds", refund, { state: "done", nextAt: undefined });
    return null;
  },
});
