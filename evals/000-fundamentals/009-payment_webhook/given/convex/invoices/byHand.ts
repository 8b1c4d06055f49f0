// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation } from "../_generated/server";
import { cancel, giveBack, receive } from "../ledger";
import { requireStaff } from "../lib/auth";

/** Enter money that came to our bank account. Paywell knows nothing of it. */
export const markPaid = mutation({
  args: { invoice: v.id("invoices"), at: v.number() },
  returns: v.null(),
  handler: async (ctx, { invoice, at }) => {
    await requireStaff(ctx);
    await receive(ctx, invoice, at);
    return null;
  },
});

/** Enter money that we returned from our bank account. Paywell knows nothing of it. */
export const markReturned = mutation({
  args: { invoice: v.id("invoices"), cents: v.number(), at: v.number() },
  returns: v.null(),
  handler: async (ctx, { invoice, cents, at }) => {
    await requireStaff(ctx);
    const paid = await ctx.db.get("invoices", invoice);
    if (paid === null || cents <= 0 || paid.returnedCents + cents > paid.cents) {
      throw new ConvexError({ code: "bad_amount" });
    }
    await giveBack(ctx, invoice, cents, at);
    return null;
  },
});

/** Void an invoice, unless money for it may be under way. */
export const voidInvoice = mutation({
  args: { invoice: v.id("invoices") },
  returns: v.null(),
  handler: async (ctx, args) => {
    await requireStaff(ctx);
    const invoice = await ctx.db.get("invoices", args.invoice);
    if (invoice?.paymentStatus === "processing") {
      throw new ConvexError({ code: "payment_under_way" });
    }
    await cancel(ctx, args.invoice);
    return null;
  },
});
