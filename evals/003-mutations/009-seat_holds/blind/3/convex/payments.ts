// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { settle } from "./model/bookings";
import { payBack } from "./model/money";

/**
 * The provider has the money for a booking. It tells us so until we answer, so more than once, and
 * sometimes only after hours. Money that no booking can take goes back.
 */
export const confirm = internalMutation({
  args: { payment: v.string(), booking: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const former = await ctx.db
      .query("payments")
      .withIndex("by_payment", (q) => q.eq("payment", args.payment))
      .first();
    if (former !== null) return null;
    const id = ctx.db.normalizeId("bookings", args.booking);
    const booking = id === null ? null : await ctx.db.get("bookings", id);
    // First this: where the booking lapses only now, what was paid for it before goes back.
    const isTaken = booking !== null && (await settle(ctx, booking));
    const _id = await ctx.db.insert("payments", { ...args, refunded: false });
    if (isTaken) return null;
    const payment = await ctx.db.get("payments", _id);
    if (payment !== null) await payBack(ctx, payment);
    return null;
  },
});
