// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { addInvoice, addLine, must, removeInvoice, setState, write } from "./model/desk";
import { byId } from "./model/table";
import {
  addDays,
  addMonths,
  compare,
  minus,
  plus,
  quotient,
  remainder,
  round,
  sorted,
} from "./model/values";

export const draft = mutation({
  args: { customer: v.number(), note: v.union(v.string(), v.null()) },
  handler: async (ctx, { customer, note }) =>
    await write(ctx, (desk) => {
      const { id, state, total } = addInvoice(desk, customer, note);
      return [{ id, state, total }];
    }),
});

/** `day` is `YYYY-MM-DD`. */
export const issue = mutation({
  args: { invoice: v.number(), day: v.string() },
  handler: async (ctx, args) =>
    await write(ctx, (desk) => {
      const invoice = byId(desk.invoices, args.invoice);
      if (
        invoice !== undefined &&
        invoice.state === "draft" &&
        invoice.total !== null &&
        invoice.total !== 0
      ) {
        const year = args.day.slice(0, 4);
        const issued = desk.invoices.rows.filter(
          (row) => row.number !== null && row.issued !== null && row.issued.startsWith(year),
        );
        const terms = byId(desk.customers, invoice.customer)?.terms ?? null;
        setState(desk, invoice, {
          state: "open",
          issued: args.day,
          due: addDays(args.day, terms),
          number: `R${year}-${String(issued.length + 1).padStart(3, "0")}`,
        });
      }
      return desk.invoices.rows
        .filter((row) => row.id === args.invoice)
        .map(({ id, number, issued, due, state, total }) => ({
          id,
          number,
          issued,
          due,
          state,
          total,
        }));
    }),
});

export const cancel = mutation({
  args: { invoice: v.number() },
  handler: async (ctx, args) =>
    await write(ctx, (desk) => {
      const invoice = byId(desk.invoices, args.invoice);
      if (invoice === undefined || invoice.paid !== 0 || invoice.state === "draft") {
        return [{ changed: 0 }];
      }
      setState(desk, invoice, {
        state: "void",
        note: invoice.note === null ? null : `Cancelled. ${invoice.note}`,
      });
      return [{ changed: 1 }];
    }),
});

/** A draft that gives back a share of an invoice. */
export const credit = mutation({
  args: { invoice: v.number(), percent: v.number() },
  handler: async (ctx, args) =>
    await write(ctx, (desk) => {
      const invoice = byId(desk.invoices, args.invoice);
      if (invoice !== undefined) {
        const lines = sorted(
          desk.lines.rows.filter((line) => line.invoice === invoice.id),
          (line) => [line.id],
        );
        const note = invoice.number === null ? null : `Credit for ${invoice.number}`;
        const { id } = addInvoice(desk, invoice.customer, note);
        for (const { text, quantity, price, rate } of lines) {
          addLine(desk, {
            invoice: id,
            text,
            quantity,
            price: round((-price * args.percent) / 100),
            rate,
          });
        }
      }
      return sorted(desk.invoices.rows, (row) => [row.id])
        .slice(-1)
        .map(({ id, total, note }) => ({ id, total, note }));
    }),
});

/** Payment in parts, one in each month. */
export const split = mutation({
  args: { invoice: v.number(), day: v.string(), parts: v.number() },
  handler: async (ctx, args) =>
    await write(ctx, (desk) => {
      const before = desk.instalments.rows.filter((row) => row.invoice === args.invoice);
      for (const row of before) desk.instalments.remove(row);
      const invoice = byId(desk.invoices, args.invoice);
      if (invoice !== undefined) {
        const rest = minus(invoice.total, invoice.paid);
        // There is a first part even of none.
        for (let k = 0; k === 0 || k < args.parts; k += 1) {
          const due = addMonths(args.day, k);
          const cents = plus(
            quotient(rest, args.parts),
            k === 0 ? remainder(rest, args.parts) : 0,
          );
          must(due !== null && cents !== null, "the invoice cannot be split");
          desk.instalments.add({ invoice: invoice.id, position: k + 1, due, cents });
        }
      }
      return sorted(
        desk.instalments.rows.filter((row) => row.invoice === args.invoice),
        (row) => [row.position],
      ).map(({ position, due, cents }) => ({ position, due, cents }));
    }),
});

export const drop = mutation({
  args: { invoice: v.number() },
  handler: async (ctx, args) =>
    await write(ctx, (desk) => {
      const invoice = byId(desk.invoices, args.invoice);
      if (invoice === undefined) return [{ changed: 0 }];
      removeInvoice(desk, invoice);
      return [{ changed: 1 }];
    }),
});

export const list = query({
  args: {},
  handler: async (ctx) => {
    const [invoices, customers, instalments] = await Promise.all([
      ctx.db.query("invoices").collect(),
      ctx.db.query("customers").collect(),
      ctx.db.query("instalments").collect(),
    ]);
    const codes = new Map(customers.map((customer) => [customer.id, customer.code]));
    const parts = new Map<number, number>();
    for (const { invoice } of instalments) parts.set(invoice, (parts.get(invoice) ?? 0) + 1);
    return invoices
      .sort((a, b) => compare(b.due, a.due) || a.id - b.id)
      .flatMap(({ id, customer, number, issued, due, state, total, paid, note }) => {
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
