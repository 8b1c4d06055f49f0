// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { addPayment, atDesk, byId, deletePayment } from "./desk";
import { invoiceState, numberOrNull, textOrNull } from "./schema";
import { asNumeric, inOrder, isInteger, sum } from "./sqlite";

const changes = v.array(v.object({ changed: v.number() }));

export const record = mutation({
  args: {
    invoice: numberOrNull,
    ref: textOrNull,
    day: v.string(),
    cents: v.number(),
    method: textOrNull,
  },
  returns: v.array(v.object({ id: v.number(), method: textOrNull })),
  handler: async (ctx, { invoice, ref, day, cents, method }) =>
    await atDesk(ctx, (desk) => {
      const payment = addPayment(desk, { invoice, ref, day, cents, method }, "abort");
      return payment === null ? [] : [{ id: payment.id, method: payment.method }];
    }),
});

/** At the counter. */
export const receive = mutation({
  args: { invoice: v.number(), day: v.string(), cents: v.number() },
  returns: v.array(
    v.object({ state: invoiceState, paid: v.number(), id: v.number(), method: textOrNull }),
  ),
  handler: async (ctx, { invoice: wanted, day, cents }) =>
    await atDesk(ctx, (desk) => {
      const payment = addPayment(
        desk,
        { invoice: wanted, ref: null, day, cents, method: "transfer" },
        "abort",
      );
      const invoice = byId(desk.invoices, wanted);
      if (payment === null || invoice === undefined) return [];
      return [
        {
          state: invoice.state,
          paid: invoice.paid,
          id: payment.id,
          method: payment.method,
        },
      ];
    }),
});

/** A statement of the bank; the same day's statement may come twice. */
export const load = mutation({
  args: {
    rows: v.array(
      v.object({
        invoice: numberOrNull,
        ref: textOrNull,
        day: textOrNull,
        cents: v.union(v.number(), v.string()),
        method: textOrNull,
      }),
    ),
  },
  returns: changes,
  handler: async (ctx, { rows }) =>
    await atDesk(ctx, (desk) => {
      let changed = 0;
      for (const { invoice, ref, day, cents: given, method } of rows) {
        const cents = asNumeric(given);
        if (day === null || !isInteger(cents)) continue;
        const payment = addPayment(desk, { invoice, ref, day, cents, method }, "ignore");
        if (payment !== null) changed += 1;
      }
      return [{ changed }];
    }),
});

/** What the bank sends again, with another amount or invoice. */
export const correct = mutation({
  args: {
    invoice: numberOrNull,
    ref: v.string(),
    day: v.string(),
    cents: v.number(),
    method: v.string(),
  },
  returns: v.array(v.object({ id: v.number(), payments: v.number() })),
  handler: async (ctx, { invoice, ref, day, cents, method }) =>
    await atDesk(ctx, (desk) => {
      const payment = addPayment(desk, { invoice, ref, day, cents, method }, "replace");
      if (payment === null) return [];
      return [{ id: payment.id, payments: desk.payments.rows.length }];
    }),
});

export const remove = mutation({
  args: { payment: v.number() },
  returns: changes,
  handler: async (ctx, { payment: wanted }) =>
    await atDesk(ctx, (desk) => {
      const payment = byId(desk.payments, wanted);
      if (payment === undefined) return [{ changed: 0 }];
      deletePayment(desk, payment);
      return [{ changed: 1 }];
    }),
});

export const list = query({
  args: {},
  returns: v.array(
    v.object({
      id: v.number(),
      invoice: numberOrNull,
      ref: textOrNull,
      day: v.string(),
      cents: v.number(),
      method: textOrNull,
      running: numberOrNull,
    }),
  ),
  handler: async (ctx) => {
    const rows = await ctx.db.query("payments").collect();
    return inOrder(rows, (row) => row.id).map(({ id, invoice, ref, day, cents, method }) => ({
      id,
      invoice,
      ref,
      day,
      cents,
      method,
      // Those of the same day are in it, whatever their order.
      running: sum(
        rows.filter((row) => row.method === method && row.day <= day).map((row) => row.cents),
      ),
    }));
  },
});
