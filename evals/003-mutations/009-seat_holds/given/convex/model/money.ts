// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";

/** Has a payment paid back, if it was not already. */
export async function payBack(ctx: MutationCtx, payment: Doc<"payments">): Promise<void> {
  if (payment.refunded) return;
  await ctx.db.patch("payments", payment._id, { refunded: true });
  await ctx.db.insert("refunds", { payment: payment.payment });
}

/** Has all that was paid for a booking paid back. */
export async function payBackAll(ctx: MutationCtx, booking: Id<"bookings">): Promise<void> {
  const payments = await ctx.db
    .query("payments")
    .withIndex("by_booking", (q) => q.eq("booking", booking))
    .take(100);
  for (const payment of payments) {
    await payBack(ctx, payment);
  }
}
