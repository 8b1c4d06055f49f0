// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { addPayment, must, removePayment, write } from "./model/desk";
import { byId } from "./model/table";
import { sorted, sum } from "./model/values";

export const record = mutation({
  args: {
    invoice: v.union(v.number(), v.null()),
    ref: v.union(v.string(), v.null()),
    day: v.string(),
    cents: v.number(),
    method: v.union(v.string(), v.null()),
  },
  handler: async (ctx, args) =>
    await write(ctx, (desk) => {
      const payment = addPayment(desk, args, "abort");
      must(payment !== null, "not a payment");
      return [{ id: payment.id, method: payment.method }];
    }),
});

/** At the counter. */
export const receive = mutation({
  args: { invoice: v.number(), day: v.string(), cents: v.number() },
  handler: async (ctx, args) =>
    await write(ctx, (desk) => {
      const payment = addPayment(desk, { ...args, ref: null, method: "transfer" }, "abort");
      const invoice = byId(desk.invoices, args.invoice);
      must(payment !== null && invoice !== undefined, "not a payment");
      return [
        { state: invoice.state, paid: invoice.paid, id: payment.id, method: payment.method },
      ];
    }),
});

/** A statement of the bank; the same day's statement may come twice. */
export const load = mutation({
  args: {
    rows: v.array(
      v.object({
        invoice: v.union(v.number(), v.null()),
        ref: v.union(v.string(), v.null()),
        day: v.union(v.string(), v.null()),
        cents: v.union(v.number(), v.string()),
        method: v.union(v.string(), v.null()),
      }),
    ),
  },
  handler: async (ctx, { rows }) =>
    await write(ctx, (desk) => {
      let changed = 0;
      for (const row of rows) {
        if (addPayment(desk, row, "ignore") !== null) changed += 1;
      }
      return [{ changed }];
    }),
});

/** What the bank sends again, with another amount or invoice. */
export const correct = mutation({
  args: {
    invoice: v.union(v.number(), v.null()),
    ref: v.string(),
    day: v.string(),
    cents: v.number(),
    method: v.string(),
  },
  handler: async (ctx, args) =>
    await write(ctx, (desk) => {
      const payment = addPayment(desk, args, "replace");
      must(payment !== null, "not a payment");
      return [{ id: payment.id, payments: desk.payments.rows.length }];
    }),
});

export const remove = mutation({
  args: { payment: v.number() },
  handler: async (ctx, { payment: id }) =>
    await write(ctx, (desk) => {
      const payment = byId(desk.payments, id);
      if (payment === undefined) return [{ changed: 0 }];
      removePayment(desk, payment);
      return [{ changed: 1 }];
    }),
});

export const list = query({
  args: {},
  handler: async (ctx) => {
    const payments = await ctx.db.query("payments").collect();
    return sorted(payments, (payment) => [payment.id]).map(
      ({ id, invoice, ref, day, cents, method }) => ({
        id,
        invoice,
        ref,
        day,
        cents,
        method,
        // With all other payments of the same day.
        running: sum(
          payments
            .filter((other) => other.method === method && other.day <= day)
            .map((other) => other.cents),
        ),
      }),
    );
  },
});
