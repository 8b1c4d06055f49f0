// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import {
  deleteInstalments,
  deleteInvoice,
  findCustomer,
  findInvoice,
  insertInvoice,
  listInstalments,
  listLines,
  updateInvoice,
} from "./model/invoices";
import { insertLine } from "./model/lines";
import { refuse } from "./model/refusals";
import { addDays, addMonths, compare, divide, rest, round } from "./model/sqlite";

export const draft = mutation({
  args: { customer: v.number(), note: v.union(v.string(), v.null()) },
  handler: async (ctx, { customer, note }) => [
    { id: await insertInvoice(ctx, customer, note), state: "draft", total: 0 },
  ],
});

export const issue = mutation({
  args: { invoice: v.number(), day: v.string() },
  handler: async (ctx, args) => {
    const found = await findInvoice(ctx, args.invoice);
    if (found !== null && found.state === "draft" && found.total !== null && found.total !== 0) {
      const customer = await findCustomer(ctx, found.customer);
      const terms = customer?.terms ?? null;
      const year = args.day.slice(0, 4);
      const all = await ctx.db.query("invoices").collect();
      const { length } = all.filter(
        (each) => each.number !== null && each.issued?.startsWith(year),
      );
      await updateInvoice(ctx, found, {
        state: "open",
        issued: args.day,
        due: terms === null ? null : addDays(args.day, terms),
        number: `R${year}-${String(length + 1).padStart(3, "0")}`,
      });
    }
    const invoice = await findInvoice(ctx, args.invoice);
    if (invoice === null) return [];
    const { id, number, issued, due, state, total } = invoice;
    return [{ id, number, issued, due, state, total }];
  },
});

export const cancel = mutation({
  args: { invoice: v.number() },
  handler: async (ctx, args) => {
    const invoice = await findInvoice(ctx, args.invoice);
    if (invoice === null || invoice.paid !== 0 || invoice.state === "draft") {
      return [{ changed: 0 }];
    }
    const note = invoice.note === null ? null : `Cancelled. ${invoice.note}`;
    await updateInvoice(ctx, invoice, { state: "void", note });
    return [{ changed: 1 }];
  },
});

export const credit = mutation({
  args: { invoice: v.number(), percent: v.number() },
  handler: async (ctx, { invoice, percent }) => {
    const source = await findInvoice(ctx, invoice);
    if (source !== null) {
      const note = source.number === null ? null : `Credit for ${source.number}`;
      const id = await insertInvoice(ctx, source.customer, note);
      for (const { text, quantity, price, rate } of await listLines(ctx, invoice)) {
        const back = round((-price * percent) / 100);
        await insertLine(ctx, { invoice: id, text, quantity, price: back, rate });
      }
    }
    const last = await ctx.db.query("invoices").withIndex("by_number").order("desc").first();
    return last === null ? [] : [{ id: last.id, total: last.total, note: last.note }];
  },
});

export const split = mutation({
  args: { invoice: v.number(), day: v.string(), parts: v.number() },
  handler: async (ctx, { invoice, day, parts }) => {
    await deleteInstalments(ctx, invoice);
    const found = await findInvoice(ctx, invoice);
    if (found !== null) {
      const open = found.total === null ? null : found.total - found.paid;
      const each = open === null ? null : divide(open, parts);
      const first = open === null ? null : rest(open, parts);
      if (each === null || first === null) refuse("cents");
      // The first part comes before the number of parts is looked at.
      for (let k = 0; k === 0 || k < parts; k++) {
        await ctx.db.insert("instalments", {
          invoice,
          position: k + 1,
          due: addMonths(day, k),
          cents: k === 0 ? each + first : each,
        });
      }
    }
    const stored = await listInstalments(ctx, invoice);
    return stored.map(({ position, due, cents }) => ({ position, due, cents }));
  },
});

export const drop = mutation({
  args: { invoice: v.number() },
  handler: async (ctx, args) => {
    const invoice = await findInvoice(ctx, args.invoice);
    if (invoice !== null) await deleteInvoice(ctx, invoice);
    return [{ changed: invoice === null ? 0 : 1 }];
  },
});

export const list = query({
  args: {},
  handler: async (ctx) => {
    const invoices = await ctx.db.query("invoices").collect();
    invoices.sort((a, b) => compare(b.due, a.due) || a.id - b.id);
    return await Promise.all(
      invoices.map(async ({ id, customer, number, issued, due, state, total, paid, note }) => ({
        ...{ id, customer, number, issued, due, state, total, paid, note },
        code: (await findCustomer(ctx, customer))?.code ?? "",
        rest: total === null ? null : total - paid,
        parts: (await listInstalments(ctx, id)).length,
      })),
    );
  },
});
