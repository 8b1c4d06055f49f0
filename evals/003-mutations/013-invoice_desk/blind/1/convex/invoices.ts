// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { addDraft, addLine, atDesk, byId, deleteInvoice, setState } from "./desk";
import { invoiceState, numberOrNull, textOrNull } from "./schema";
import {
  addDays,
  addMonths,
  compare,
  divide,
  inOrder,
  minus,
  plain,
  remainder,
  round,
} from "./sqlite";

const changes = v.array(v.object({ changed: v.number() }));

export const draft = mutation({
  args: { customer: v.number(), note: textOrNull },
  returns: v.array(v.object({ id: v.number(), state: invoiceState, total: numberOrNull })),
  handler: async (ctx, { customer, note }) =>
    await atDesk(ctx, (desk) => {
      const { id, state, total } = addDraft(desk, customer, note);
      return [{ id, state, total }];
    }),
});

export const issue = mutation({
  args: { invoice: v.number(), day: v.string() },
  returns: v.array(
    v.object({
      id: v.number(),
      number: textOrNull,
      issued: textOrNull,
      due: textOrNull,
      state: invoiceState,
      total: numberOrNull,
    }),
  ),
  handler: async (ctx, { invoice: wanted, day }) =>
    await atDesk(ctx, (desk) => {
      const invoice = byId(desk.invoices, wanted);
      if (invoice === undefined) return [];
      if (invoice.state === "draft" && invoice.total !== null && invoice.total !== 0) {
        const year = day.slice(0, 4);
        const before = desk.invoices.rows.filter(
          (row) => row.number !== null && row.issued !== null && row.issued.startsWith(year),
        );
        const number = `R${year}-${String(1 + before.length).padStart(3, "0")}`;
        if (desk.invoices.rows.some((row) => row !== invoice && row.number === number)) {
          throw new ConvexError("the number is taken");
        }
        const terms = byId(desk.customers, invoice.customer)?.terms ?? null;
        invoice.number = number;
        invoice.issued = day;
        invoice.due = terms === null ? null : addDays(day, terms);
        setState(desk, invoice, "open");
      }
      const { id, number, issued, due, state, total } = invoice;
      return [{ id, number, issued, due, state, total }];
    }),
});

export const cancel = mutation({
  args: { invoice: v.number() },
  returns: changes,
  handler: async (ctx, { invoice: wanted }) =>
    await atDesk(ctx, (desk) => {
      const invoice = byId(desk.invoices, wanted);
      if (invoice === undefined || invoice.paid !== 0 || invoice.state === "draft") {
        return [{ changed: 0 }];
      }
      if (invoice.note !== null) invoice.note = `Cancelled. ${invoice.note}`;
      setState(desk, invoice, "void");
      return [{ changed: 1 }];
    }),
});

/** A draft that gives back a share of an invoice. */
export const credit = mutation({
  args: { invoice: v.number(), percent: v.number() },
  returns: v.array(v.object({ id: v.number(), total: numberOrNull, note: textOrNull })),
  handler: async (ctx, { invoice: wanted, percent }) =>
    await atDesk(ctx, (desk) => {
      const invoice = byId(desk.invoices, wanted);
      if (invoice !== undefined) {
        const { customer, number } = invoice;
        const given = addDraft(desk, customer, number === null ? null : `Credit for ${number}`);
        const lines = inOrder(
          desk.lines.rows.filter((row) => row.invoice === wanted),
          (row) => row.id,
        );
        for (const { text, quantity, price, rate } of lines) {
          addLine(desk, {
            invoice: given.id,
            text,
            quantity,
            price: round((-price * percent) / 100),
            rate,
          });
        }
      }
      // Without such an invoice, the answer is the last one there is.
      return inOrder(desk.invoices.rows, (row) => row.id)
        .slice(-1)
        .map(({ id, total, note }) => ({ id, total, note }));
    }),
});

/** Payment in parts, one in each month. */
export const split = mutation({
  args: { invoice: v.number(), day: v.string(), parts: v.number() },
  returns: v.array(v.object({ position: v.number(), due: v.string(), cents: v.number() })),
  handler: async (ctx, { invoice: wanted, day, parts }) =>
    await atDesk(ctx, (desk) => {
      const invoice = byId(desk.invoices, wanted);
      if (invoice === undefined) return [];
      for (const row of desk.instalments.rows.filter((part) => part.invoice === wanted)) {
        desk.instalments.remove(row);
      }
      const rest = minus(invoice.total, invoice.paid);
      if (rest === null || parts === 0) throw new ConvexError("there is nothing to split");
      const result: { position: number; due: string; cents: number }[] = [];
      for (let k = 0; k === 0 || k < parts; k++) {
        const due = addMonths(day, k);
        if (due === null) throw new ConvexError("an instalment is due too late");
        const cents = plain(divide(rest, parts) + (k === 0 ? remainder(rest, parts) : 0));
        desk.instalments.rows.push({ invoice: wanted, position: k + 1, due, cents });
        result.push({ position: k + 1, due, cents });
      }
      return result;
    }),
});

export const drop = mutation({
  args: { invoice: v.number() },
  returns: changes,
  handler: async (ctx, { invoice: wanted }) =>
    await atDesk(ctx, (desk) => {
      const invoice = byId(desk.invoices, wanted);
      if (invoice === undefined) return [{ changed: 0 }];
      deleteInvoice(desk, invoice);
      return [{ changed: 1 }];
    }),
});

export const list = query({
  args: {},
  returns: v.array(
    v.object({
      id: v.number(),
      code: v.string(),
      customer: v.number(),
      number: textOrNull,
      issued: textOrNull,
      due: textOrNull,
      state: invoiceState,
      total: numberOrNull,
      paid: v.number(),
      note: textOrNull,
      rest: numberOrNull,
      parts: v.number(),
    }),
  ),
  handler: async (ctx) => {
    const [customers, invoices, instalments] = await Promise.all([
      ctx.db.query("customers").collect(),
      ctx.db.query("invoices").collect(),
      ctx.db.query("instalments").collect(),
    ]);
    const codes = new Map(customers.map((row) => [row.id, row.code]));
    const parts = new Map<number, number>();
    for (const { invoice } of instalments) parts.set(invoice, (parts.get(invoice) ?? 0) + 1);
    return inOrder(invoices, (row) => row.id)
      .sort((a, b) => compare(b.due, a.due))
      .flatMap((row) => {
        const { id, customer, number, issued, due, state, total, paid, note } = row;
        const code = codes.get(customer);
        if (code === undefined) return [];
        return [
          {
            id,
            code,
            customer,
            number,
            issued,
            due,
            state,
            total,
            paid,
            note,
            rest: minus(total, paid),
            parts: parts.get(id) ?? 0,
          },
        ];
      });
  },
});
