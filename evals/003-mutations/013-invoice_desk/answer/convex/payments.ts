// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { findInvoice } from "./model/invoices";
import { deletePayment, insertPayment } from "./model/payments";
import { applyAffinity } from "./model/sqlite";

const maybeText = v.union(v.string(), v.null());
const maybeNumber = v.union(v.number(), v.null());

export const record = mutation({
  args: {
    invoice: maybeNumber,
    ref: maybeText,
    day: v.string(),
    cents: v.number(),
    method: maybeText,
  },
  handler: async (ctx, args) => [
    { id: await insertPayment(ctx, args, "abort"), method: args.method },
  ],
});

export const receive = mutation({
  args: { invoice: v.number(), day: v.string(), cents: v.number() },
  handler: async (ctx, args) => {
    const method = "transfer";
    const id = await insertPayment(ctx, { ...args, ref: null, method }, "abort");
    const invoice = await findInvoice(ctx, args.invoice);
    return invoice === null ? [] : [{ state: invoice.state, paid: invoice.paid, id, method }];
  },
});

export const load = mutation({
  args: {
    rows: v.array(
      v.object({
        invoice: maybeNumber,
        ref: maybeText,
        day: maybeText,
        cents: v.union(v.number(), v.string()),
        method: maybeText,
      }),
    ),
  },
  handler: async (ctx, { rows }) => {
    let changed = 0;
    for (const row of rows) {
      const cents = applyAffinity(row.cents) ?? 0;
      if ((await insertPayment(ctx, { ...row, cents }, "ignore")) !== null) changed++;
    }
    return [{ changed }];
  },
});

export const correct = mutation({
  args: {
    invoice: maybeNumber,
    ref: v.string(),
    day: v.string(),
    cents: v.number(),
    method: v.string(),
  },
  handler: async (ctx, args) => {
    const id = await insertPayment(ctx, args, "replace");
    const all = await ctx.db.query("payments").collect();
    return [{ id, payments: all.length }];
  },
});

export const remove = mutation({
  args: { payment: v.number() },
  handler: async (ctx, { payment }) => [{ changed: await deletePayment(ctx, payment) }],
});

export const list = query({
  args: {},
  handler: async (ctx) => {
    const all = await ctx.db.query("payments").withIndex("by_number").collect();
    return all.map(({ id, invoice, ref, day, cents, method }) => ({
      ...{ id, invoice, ref, day, cents, method },
      running: all
        .filter((other) => other.method === method && other.day <= day)
        .reduce((total, other) => total + other.cents, 0),
    }));
  },
});
