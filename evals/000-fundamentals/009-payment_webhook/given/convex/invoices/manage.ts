// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "../_generated/server";
import { issue } from "../ledger";
import { requireStaff } from "../lib/auth";
import schema from "../schema";

const { status, paymentStatus, checkoutUrl, paidAt } = schema.tables.invoices.validator.fields;

export const create = mutation({
  args: {
    customer: v.id("customers"),
    number: v.string(),
    text: v.string(),
    cents: v.number(),
    dueAt: v.number(),
  },
  returns: v.id("invoices"),
  handler: async (ctx, args) => {
    await requireStaff(ctx);
    if (!Number.isInteger(args.cents) || args.cents <= 0) {
      throw new ConvexError({ code: "bad_amount" });
    }
    return await issue(ctx, args);
  },
});

export const get = query({
  args: { invoice: v.id("invoices") },
  returns: v.union(
    v.null(),
    v.object({
      customer: v.id("customers"),
      number: v.string(),
      cents: v.number(),
      dueAt: v.number(),
      status,
      paidAt,
      returnedCents: v.number(),
      paymentStatus,
      checkoutUrl,
    }),
  ),
  handler: async (ctx, args) => {
    await requireStaff(ctx);
    const invoice = await ctx.db.get("invoices", args.invoice);
    return invoice === null
      ? null
      : {
          customer: invoice.customer,
          number: invoice.number,
          cents: invoice.cents,
          dueAt: invoice.dueAt,
          status: invoice.status,
          paidAt: invoice.paidAt,
          returnedCents: invoice.returnedCents,
          paymentStatus: invoice.paymentStatus,
          checkoutUrl: invoice.checkoutUrl,
        };
  },
});
