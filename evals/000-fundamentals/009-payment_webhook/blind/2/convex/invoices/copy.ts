// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation } from "../_generated/server";
import { issue } from "../ledger";
import { requireStaff } from "../lib/auth";

/** Bill the same once more: a new open invoice with everything that the first one has. */
export const again = mutation({
  args: { invoice: v.id("invoices"), number: v.string(), dueAt: v.number() },
  returns: v.id("invoices"),
  handler: async (ctx, { invoice, number, dueAt }) => {
    await requireStaff(ctx);
    const original = await ctx.db.get("invoices", invoice);
    if (original === null) {
      throw new ConvexError({ code: "not_found" });
    }
    // What happened to the first one stays behind.
    const {
      _id,
      _creationTime,
      paidAt: _paidAt,
      paymentId: _paymentId,
      paymentStatus: _paymentStatus,
      checkoutUrl: _checkoutUrl,
      paywell: _paywell,
      ...copied
    } = original;
    return await issue(ctx, { ...copied, number, dueAt });
  },
});
