// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";
import { findInvoice } from "./model/invoices";
import { compare, compareTexts, countDays, divide, round, sum } from "./model/sqlite";

export const journal = query({
  args: { limit: v.number() },
  handler: async (ctx, { limit }) => {
    const entries = await ctx.db.query("journal").collect();
    const sorted = entries
      .sort((a, b) => compareTexts(a.day, b.day) || a.id - b.id)
      .map(({ id, kind, ref, day, cents }) => ({ id, kind, ref, day, cents }));
    return limit < 0 ? sorted : sorted.slice(0, limit);
  },
});

export const unpaid = query({
  args: { since: v.string() },
  handler: async (ctx, { since }) => {
    const payments = await ctx.db.query("payments").collect();
    const recent = payments.filter((payment) => payment.day >= since);
    // NOT IN a list with NULL is true for nothing.
    if (recent.some((payment) => payment.invoice === null)) return [];
    const paid = new Set(recent.map((payment) => payment.invoice));
    const invoices = await ctx.db.query("invoices").collect();
    return invoices
      .filter((invoice) => !paid.has(invoice.id))
      .map(({ id, number }) => ({ id, number: number ?? "draft" }))
      // The order is that of the result's column.
      .sort((a, b) => compareTexts(a.number, b.number) || a.id - b.id);
  },
});

export const customers = query({
  args: {},
  handler: async (ctx) => {
    const all = await ctx.db.query("customers").collect();
    const invoices = await ctx.db.query("invoices").collect();
    const payments = await ctx.db.query("payments").withIndex("by_number").collect();
    return all
      .sort((a, b) => compareTexts(a.key, b.key))
      .map(({ id, code, name, email }) => {
        const own = invoices.filter((each) => each.customer === id && each.state !== "draft");
        const numbers = new Set(own.map((invoice) => invoice.id));
        const paid = payments.filter(
          ({ invoice }) => invoice !== null && numbers.has(invoice),
        );
        const withPayments = new Set(paid.map((payment) => payment.invoice));
        const without = own.filter((invoice) => !withPayments.has(invoice.id)).length;
        const last = paid.at(-1);
        const cents = sum(paid.map((payment) => payment.cents));
        return {
          code,
          address: email === null ? null : `${name} <${email}>`,
          last: last?.id ?? null,
          method: last?.method ?? null,
          entries: Math.max(paid.length + without, 1),
          refs: paid.filter((payment) => payment.ref !== null).length,
          invoices: own.length,
          cents,
          mean: cents === null ? null : round(cents / paid.length),
        };
      });
  },
});

export const ages = query({
  args: { day: v.string() },
  handler: async (ctx, { day }) => {
    const invoices = await ctx.db.query("invoices").collect();
    const groups = new Map<number | null, typeof invoices>();
    for (const invoice of invoices) {
      if (invoice.state === "draft" || invoice.state === "void") continue;
      const age = invoice.due === null ? null : divide(countDays(invoice.due, day), 30);
      groups.set(age, [...(groups.get(age) ?? []), invoice]);
    }
    return [...groups]
      .sort(([a], [b]) => compare(a, b))
      .map(([age, group]) => ({
        age,
        invoices: group.length,
        dated: group.filter((invoice) => invoice.due !== null).length,
        cents: sum(group.map(({ total, paid }) => (total === null ? null : total - paid))),
      }));
  },
});

export const taxes = query({
  args: { from: v.string(), to: v.string() },
  handler: async (ctx, { from, to }) => {
    const lines = await ctx.db.query("lines").collect();
    const groups = new Map<string, typeof lines>();
    for (const line of lines) {
      const issued = (await findInvoice(ctx, line.invoice))?.issued ?? null;
      if (issued === null || issued < from || issued > to) continue;
      const rate = line.rate ?? "-";
      groups.set(rate, [...(groups.get(rate) ?? []), line]);
    }
    return [...groups]
      .sort(([a], [b]) => compareTexts(a, b))
      .map(([rate, group]) => {
        const tax = sum(group.map((line) => line.tax));
        return {
          rate,
          net: sum(group.map((line) => line.quantity * line.price)),
          tax,
          mean: (tax ?? 0) / group.length,
        };
      });
  },
});
