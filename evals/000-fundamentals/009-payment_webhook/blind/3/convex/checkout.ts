// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import { internalAction, internalMutation, mutation } from "./_generated/server";
import { requireStaff } from "./lib/auth";
import { requireSetting } from "./lib/settings";
import { PAYMENTS_URL } from "./paywell/contract";

/** Have the customer pay at Paywell. Pages show `checkoutUrl` of the invoice once it is there. */
export const begin = mutation({
  args: { invoice: v.id("invoices") },
  returns: v.null(),
  handler: async (ctx, args) => {
    await requireStaff(ctx);
    const invoice = await ctx.db.get("invoices", args.invoice);
    if (invoice?.status !== "open") {
      throw new ConvexError({ code: "not_open" });
    }
    if (invoice.checkoutUrl === undefined) {
      const { _id: id, cents } = invoice;
      await ctx.scheduler.runAfter(0, internal.checkout.request, { invoice: id, cents });
    }
    return null;
  },
});

export const request = internalAction({
  args: { invoice: v.id("invoices"), cents: v.number() },
  handler: async (ctx, { invoice, cents }) => {
    const response = await fetch(PAYMENTS_URL, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${requireSetting("PAYWELL_KEY")}`,
        "Content-Type": "application/json",
        "Idempotency-Key": invoice,
      },
      body: JSON.stringify({ reference: invoice, cents }),
    });
    if (response.status !== 200) {
      throw new Error(`Paywell answered ${response.status}`);
    }
    const { id, url } = (await response.json()) as { id: string; url: string };
    await ctx.runMutation(internal.checkout.attach, { invoice, paymentId: id, url });
  },
});

/** Store Paywell's reply. Events about the payment may have come before it: they know more. */
export const attach = internalMutation({
  args: { invoice: v.id("invoices"), paymentId: v.string(), url: v.string() },
  handler: async (ctx, { invoice: id, paymentId, url }) => {
    const invoice = await ctx.db.get("invoices", id);
    if (invoice === null) {
      return;
    }
    await ctx.db.patch("invoices", id, { paymentId, checkoutUrl: url });
    if (invoice.paywell === undefined) {
      await ctx.db.patch("invoices", id, { paymentStatus: "processing" });
    }
  },
});
