// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "../_generated/server";
import { today } from "../lib/days";
import { refuse } from "../lib/errors";
import { requireStaff } from "../lib/session";
import { billCustomer } from "../model/billing";
import { addCredit, createInvoice } from "../model/invoices";

/** Gives a customer credit, for a complaint or so. */
export const giveCredit = mutation({
  args: { customer: v.id("customers"), amount: v.number() },
  returns: v.null(),
  handler: async (ctx, { customer, amount }) => {
    await requireStaff(ctx);
    if (!Number.isInteger(amount) || amount <= 0) refuse("invalid");
    await billCustomer(ctx, customer, today());
    await addCredit(ctx, customer, amount);
    return null;
  },
});

/** Writes an invoice by hand, for a book or a lesson. */
export const writeInvoice = mutation({
  args: { customer: v.id("customers"), amount: v.number(), text: v.string() },
  returns: v.null(),
  handler: async (ctx, { customer, amount, text }) => {
    await requireStaff(ctx);
    if (!Number.isInteger(amount) || amount <= 0) refuse("invalid");
    const day = today();
    await billCustomer(ctx, customer, day);
    await createInvoice(ctx, customer, { day, amount, text });
    return null;
  },
});
