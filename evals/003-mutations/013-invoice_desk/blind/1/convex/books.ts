// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";
import { numberOrNull, type Payment, textOrNull } from "./schema";
import { dayNumber, divide, fold, inOrder, limited, minus, plain, round, sum } from "./sqlite";

export const journal = query({
  args: { limit: v.number() },
  returns: v.array(
    v.object({
      id: v.number(),
      kind: v.string(),
      ref: textOrNull,
      day: textOrNull,
      cents: numberOrNull,
    }),
  ),
  handler: async (ctx, { limit }) => {
    const rows = await ctx.db.query("journal").collect();
    const sorted = inOrder(
      rows,
      (row) => row.day,
      (row) => row.id,
    );
    return limited(sorted, limit, 0).map(({ id, kind, ref, day, cents }) => ({
      id,
      kind,
      ref,
      day,
      cents,
    }));
  },
});

/** Invoices without a payment since a day. */
export const unpaid = query({
  args: { since: v.string() },
  returns: v.array(v.object({ id: v.number(), number: v.string() })),
  handler: async (ctx, { since }) => {
    const [invoices, payments] = await Promise.all([
      ctx.db.query("invoices").collect(),
      ctx.db.query("payments").collect(),
    ]);
    const paid = new Set(payments.filter((row) => row.day >= since).map((row) => row.invoice));
    // NOT IN is never true of a list with a NULL.
    const found = paid.has(null) ? [] : invoices.filter((row) => !paid.has(row.id));
    return inOrder(
      found.map(({ id, number }) => ({ id, number: number ?? "draft" })),
      (row) => row.number,
      (row) => row.id,
    );
  },
});

export const customers = query({
  args: {},
  returns: v.array(
    v.object({
      code: v.string(),
      address: textOrNull,
      last: numberOrNull,
      method: textOrNull,
      entries: v.number(),
      refs: v.number(),
      invoices: v.number(),
      cents: numberOrNull,
      mean: numberOrNull,
    }),
  ),
  handler: async (ctx) => {
    const [rows, invoices, payments] = await Promise.all([
      ctx.db.query("customers").collect(),
      ctx.db.query("invoices").collect(),
      ctx.db.query("payments").collect(),
    ]);
    const paymentsOf = new Map<number, Payment[]>();
    for (const payment of payments) {
      if (payment.invoice === null) continue;
      const known = paymentsOf.get(payment.invoice);
      if (known === undefined) paymentsOf.set(payment.invoice, [payment]);
      else known.push(payment);
    }
    return inOrder(rows, (row) => fold(row.code)).map(({ id, code, name, email }) => {
      const own = invoices.filter((row) => row.customer === id && row.state !== "draft");
      const paid: Payment[] = [];
      // An outer join has a row also where nothing is joined.
      let entries = own.length === 0 ? 1 : 0;
      for (const invoice of own) {
        const joined = paymentsOf.get(invoice.id) ?? [];
        paid.push(...joined);
        entries += Math.max(joined.length, 1);
      }
      let last: Payment | null = null;
      for (const payment of paid) {
        if (last === null || payment.id > last.id) last = payment;
      }
      const cents = sum(paid.map((row) => row.cents));
      return {
        code,
        address: email === null ? null : `${name} <${email}>`,
        last: last === null ? null : last.id,
        method: last === null ? null : last.method,
        entries,
        refs: paid.filter((row) => row.ref !== null).length,
        invoices: own.length,
        cents,
        mean: cents === null ? null : round(cents / paid.length),
      };
    });
  },
});

export const ages = query({
  args: { day: v.string() },
  returns: v.array(
    v.object({
      age: numberOrNull,
      invoices: v.number(),
      dated: v.number(),
      cents: numberOrNull,
    }),
  ),
  handler: async (ctx, { day }) => {
    const invoices = await ctx.db.query("invoices").collect();
    const today = dayNumber(day);
    const groups = new Map<number | null, (number | null)[]>();
    for (const { due, state, total, paid } of invoices) {
      if (state === "draft" || state === "void") continue;
      const age = due === null ? null : divide(today - dayNumber(due), 30);
      const rest = minus(total, paid);
      const known = groups.get(age);
      if (known === undefined) groups.set(age, [rest]);
      else known.push(rest);
    }
    return inOrder([...groups], ([age]) => age).map(([age, rests]) => ({
      age,
      invoices: rests.length,
      dated: age === null ? 0 : rests.length,
      cents: sum(rests),
    }));
  },
});

export const taxes = query({
  args: { from: v.string(), to: v.string() },
  returns: v.array(
    v.object({ rate: v.string(), net: numberOrNull, tax: numberOrNull, mean: v.number() }),
  ),
  handler: async (ctx, { from, to }) => {
    const [invoices, lines] = await Promise.all([
      ctx.db.query("invoices").collect(),
      ctx.db.query("lines").collect(),
    ]);
    const issued = new Set<number>();
    for (const row of invoices) {
      if (row.issued !== null && row.issued >= from && row.issued <= to) issued.add(row.id);
    }
    const groups = new Map<string, { nets: number[]; taxes: (number | null)[] }>();
    for (const line of lines) {
      if (!issued.has(line.invoice)) continue;
      const rate = line.rate ?? "-";
      let group = groups.get(rate);
      if (group === undefined) {
        group = { nets: [], taxes: [] };
        groups.set(rate, group);
      }
      group.nets.push(line.quantity * line.price);
      group.taxes.push(line.tax);
    }
    return inOrder([...groups], ([rate]) => rate).map(([rate, group]) => {
      const tax = sum(group.taxes);
      return {
        rate,
        net: sum(group.nets),
        tax,
        mean: plain((tax ?? 0) / group.taxes.length),
      };
    });
  },
});
