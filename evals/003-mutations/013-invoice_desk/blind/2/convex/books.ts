// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";
import { daysBetween, fold, minus, quotient, round, sorted, sum } from "./model/values";

export const journal = query({
  args: { limit: v.number() },
  handler: async (ctx, { limit }) => {
    const entries = await ctx.db.query("journal").collect();
    return sorted(entries, (entry) => [entry.day, entry.id])
      .slice(0, limit < 0 ? undefined : limit)
      .map(({ id, kind, ref, day, cents }) => ({ id, kind, ref, day, cents }));
  },
});

/** Invoices without a payment since a day. */
export const unpaid = query({
  args: { since: v.string() },
  handler: async (ctx, { since }) => {
    const [invoices, payments] = await Promise.all([
      ctx.db.query("invoices").collect(),
      ctx.db.query("payments").collect(),
    ]);
    const paid = new Set(
      payments.filter((payment) => payment.day >= since).map((payment) => payment.invoice),
    );
    // Nobody knows which invoice a payment without one is for: it may be any.
    const rows = paid.has(null) ? [] : invoices.filter((invoice) => !paid.has(invoice.id));
    return sorted(
      rows.map(({ id, number }) => ({ id, number: number ?? "draft" })),
      (row) => [row.number, row.id],
    );
  },
});

export const customers = query({
  args: {},
  handler: async (ctx) => {
    const [allCustomers, allInvoices, allPayments] = await Promise.all([
      ctx.db.query("customers").collect(),
      ctx.db.query("invoices").collect(),
      ctx.db.query("payments").collect(),
    ]);
    return sorted(allCustomers, (customer) => [fold(customer.code)]).map(
      ({ id, code, name, email }) => {
        const invoices = allInvoices.filter(
          (invoice) => invoice.customer === id && invoice.state !== "draft",
        );
        const numbers = new Set(invoices.map((invoice) => invoice.id));
        const payments = allPayments.filter(
          ({ invoice }) => invoice !== null && numbers.has(invoice),
        );
        const last =
          payments.length === 0 ? null : Math.max(...payments.map((payment) => payment.id));
        const withPayments = new Set(payments.map((payment) => payment.invoice));
        // An invoice without payments is an entry, too, and so is a customer without invoices.
        const entries = payments.length + (numbers.size - withPayments.size);
        const cents = sum(payments.map((payment) => payment.cents));
        return {
          code,
          address: email === null ? null : `${name} <${email}>`,
          last,
          method: payments.find((payment) => payment.id === last)?.method ?? null,
          entries: Math.max(1, entries),
          refs: payments.filter((payment) => payment.ref !== null).length,
          invoices: numbers.size,
          cents,
          mean: cents === null ? null : round(cents / payments.length),
        };
      },
    );
  },
});

export const ages = query({
  args: { day: v.string() },
  handler: async (ctx, { day }) => {
    const invoices = await ctx.db.query("invoices").collect();
    const groups = new Map<number | null, typeof invoices>();
    for (const invoice of invoices) {
      if (invoice.state === "draft" || invoice.state === "void") continue;
      const age = quotient(daysBetween(invoice.due, day), 30);
      const group = groups.get(age);
      if (group === undefined) groups.set(age, [invoice]);
      else group.push(invoice);
    }
    return sorted([...groups], ([age]) => [age]).map(([age, group]) => ({
      age,
      invoices: group.length,
      dated: group.filter((invoice) => invoice.due !== null).length,
      cents: sum(group.map((invoice) => minus(invoice.total, invoice.paid))),
    }));
  },
});

export const taxes = query({
  args: { from: v.string(), to: v.string() },
  handler: async (ctx, { from, to }) => {
    const [invoices, lines] = await Promise.all([
      ctx.db.query("invoices").collect(),
      ctx.db.query("lines").collect(),
    ]);
    const issued = new Set(
      invoices
        .filter(({ issued: day }) => day !== null && day >= from && day <= to)
        .map((invoice) => invoice.id),
    );
    const groups = new Map<string, typeof lines>();
    for (const line of lines) {
      if (!issued.has(line.invoice)) continue;
      const rate = line.rate ?? "-";
      const group = groups.get(rate);
      if (group === undefined) groups.set(rate, [line]);
      else group.push(line);
    }
    return sorted([...groups], ([rate]) => [rate]).map(([rate, group]) => {
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
