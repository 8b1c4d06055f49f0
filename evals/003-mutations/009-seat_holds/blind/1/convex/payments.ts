// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { retakeSeats } from "./model/bookings";
import { currentBooking } from "./model/lapses";
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
    // Before the payment is kept: what lapses has all paid back that is kept for it.
    const booking = id === null ? null : await currentBooking(ctx, id);
    const _id = await ctx.db.insert("payments", { ...args, refunded: false });
    if (
      booking !== null &&
      (booking.state === "pending" ||
        (booking.state === "lapsed" && (await retakeSeats(ctx, booking))))
    ) {
      await ctx.db.patch("bookings", booking._id, { state: "paid", changedAt: Date.now() });
      return null;
    }
    const payment = await ctx.db.get("payments", _id);
    if (payment !== null) await payBack(ctx, payment);
    return null;
  },
});
