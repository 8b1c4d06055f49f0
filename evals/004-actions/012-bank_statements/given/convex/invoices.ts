// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { addOwed, changeInvoice, getInvoice } from "./model/invoices";
import { requireStaff } from "./model/staff";

export const issue = mutation({
  args: {
    number: v.string(),
    customer: v.id("customers"),
    amount: v.number(),
    issued: v.string(),
    due: v.optional(v.string()),
    discount: v.optional(v.number()),
    discountDays: v.optional(v.number()),
  },
  returns: v.id("invoices"),
  handler: async (ctx, args) => {
    await requireStaff(ctx);
    const same = await ctx.db
      .query("invoices")
      .withIndex("by_number", (q) => q.eq("number", args.number))
      .first();
    if (same !== null) throw new ConvexError("number_taken");
    await addOwed(ctx, args.customer, args.amount);
    return await ctx.db.insert("invoices", { ...args, paid: 0, open: args.amount });
  },
});

/** The latest invoices of a customer. */
export const list = query({
  args: { customer: v.id("customers") },
  handler: async (ctx, { customer }) => {
    await requireStaff(ctx);
    return await ctx.db
      .query("invoices")
      .withIndex("by_customer", (q) => q.eq("customer", customer))
      .order("desc")
      .take(100);
  },
});

/** An amount that was wrong. What was paid stays paid. */
export const correct = mutation({
  args: { invoice: v.id("invoices"), amount: v.number() },
  returns: v.null(),
  handler: async (ctx, { invoice, amount }) => {
    await requireStaff(ctx);
    await changeInvoice(ctx, invoice, { amount });
    return null;
  },
});

export const setVoid = mutation({
  args: { invoice: v.id("invoices"), void: v.boolean() },
  returns: v.null(),
  handler: async (ctx, args) => {
    await requireStaff(ctx);
    await changeInvoice(ctx, args.invoice, { void: args.void });
    return null;
  },
});

/** Cash at the counter. */
export const pay = mutation({
  args: { invoice: v.id("invoices"), amount: v.number() },
  returns: v.null(),
  handler: async (ctx, { invoice: id, amount }) => {
    await requireStaff(ctx);
    const invoice = await getInvoice(ctx, id);
    if (amount <= 0 || amount > invoice.open) throw new ConvexError("wrong_amount");
    await changeInvoice(ctx, id, { paid: invoice.paid + amount });
    return null;
  },
});
