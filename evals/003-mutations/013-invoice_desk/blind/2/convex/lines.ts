// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { addLine, findRate, lineChanged, must, removeLine, write } from "./model/desk";
import { byId } from "./model/table";
import { sorted, toInteger } from "./model/values";

/** `quantity` is what was typed into the form. */
export const add = mutation({
  args: {
    invoice: v.number(),
    text: v.union(v.string(), v.null()),
    quantity: v.string(),
    price: v.number(),
    rate: v.union(v.string(), v.null()),
  },
  handler: async (ctx, { invoice, text, quantity, price, rate }) =>
    await write(ctx, (desk) => {
      const line = addLine(desk, { invoice, text, quantity: toInteger(quantity), price, rate });
      return [
        {
          id: line.id,
          text: line.text,
          quantity: line.quantity,
          tax: line.tax,
          total: byId(desk.invoices, invoice)?.total ?? null,
        },
      ];
    }),
});

export const addWork = mutation({
  args: { invoice: v.number(), price: v.number() },
  handler: async (ctx, { invoice, price }) =>
    await write(ctx, (desk) => {
      addLine(desk, { invoice, text: "Work", quantity: 1, price, rate: null });
      return [{ total: byId(desk.invoices, invoice)?.total ?? null }];
    }),
});

export const change = mutation({
  args: {
    line: v.number(),
    price: v.union(v.number(), v.null()),
    rate: v.union(v.string(), v.null()),
  },
  handler: async (ctx, { line: id, price, rate }) =>
    await write(ctx, (desk) => {
      const line = byId(desk.lines, id);
      if (line === undefined) return [{ changed: 0 }];
      must(rate === null || findRate(desk, rate) !== undefined, "no such rate");
      desk.lines.set(line, { price: price ?? line.price, rate });
      lineChanged(desk, line);
      return [{ changed: 1 }];
    }),
});

export const describe = mutation({
  args: { line: v.number(), text: v.string() },
  handler: async (ctx, { line: id, text: more }) =>
    await write(ctx, (desk) => {
      const lines = desk.lines.rows.filter((line) => line.id === id);
      for (const line of lines) {
        desk.lines.set(line, { text: line.text === null ? null : `${line.text}, ${more}` });
      }
      return lines.map(({ text }) => ({ text }));
    }),
});

export const remove = mutation({
  args: { line: v.number() },
  handler: async (ctx, { line: id }) =>
    await write(ctx, (desk) => {
      const line = byId(desk.lines, id);
      if (line === undefined) return [{ changed: 0 }];
      removeLine(desk, line);
      return [{ changed: 1 }];
    }),
});

export const list = query({
  args: { invoice: v.number() },
  handler: async (ctx, { invoice }) => {
    const [lines, rates] = await Promise.all([
      ctx.db
        .query("lines")
        .withIndex("by_invoice", (q) => q.eq("invoice", invoice))
        .collect(),
      ctx.db.query("rates").collect(),
    ]);
    // Here, unlike where taxes are computed, a code is found only as it is written.
    const percents = new Map(rates.map((rate) => [rate.code, rate.percent]));
    return sorted(lines, (line) => [line.id]).map(
      ({ id, text, quantity, price, rate, tax }) => ({
        id,
        text,
        quantity,
        price,
        rate,
        tax,
        percent: rate === null ? null : (percents.get(rate) ?? null),
      }),
    );
  },
});
