// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { addLine, atDesk, byId, checkRate, deleteLine, lineChanged } from "./desk";
import { numberOrNull, textOrNull } from "./schema";
import { castInteger, inOrder, plain } from "./sqlite";

const changes = v.array(v.object({ changed: v.number() }));

/** `quantity` is what was typed into the form. */
export const add = mutation({
  args: {
    invoice: v.number(),
    text: textOrNull,
    quantity: v.string(),
    price: v.number(),
    rate: textOrNull,
  },
  returns: v.array(
    v.object({
      id: v.number(),
      text: textOrNull,
      quantity: v.number(),
      tax: numberOrNull,
      total: numberOrNull,
    }),
  ),
  handler: async (ctx, { invoice, text, quantity, price, rate }) =>
    await atDesk(ctx, (desk) => {
      const line = addLine(desk, {
        invoice,
        text,
        quantity: castInteger(quantity),
        price,
        rate,
      });
      const total = byId(desk.invoices, invoice)?.total ?? null;
      return [{ id: line.id, text: line.text, quantity: line.quantity, tax: line.tax, total }];
    }),
});

export const addWork = mutation({
  args: { invoice: v.number(), price: v.number() },
  returns: v.array(v.object({ total: numberOrNull })),
  handler: async (ctx, { invoice, price }) =>
    await atDesk(ctx, (desk) => {
      addLine(desk, { invoice, text: "Work", quantity: 1, price, rate: null });
      return [{ total: byId(desk.invoices, invoice)?.total ?? null }];
    }),
});

export const change = mutation({
  args: { line: v.number(), price: numberOrNull, rate: textOrNull },
  returns: changes,
  handler: async (ctx, { line: wanted, price, rate }) =>
    await atDesk(ctx, (desk) => {
      const line = byId(desk.lines, wanted);
      if (line === undefined) return [{ changed: 0 }];
      checkRate(desk, rate);
      if (price !== null) line.price = plain(price);
      line.rate = rate;
      lineChanged(desk, line);
      return [{ changed: 1 }];
    }),
});

export const describe = mutation({
  args: { line: v.number(), text: v.string() },
  returns: v.array(v.object({ text: textOrNull })),
  handler: async (ctx, { line: wanted, text }) =>
    await atDesk(ctx, (desk) => {
      const line = byId(desk.lines, wanted);
      if (line === undefined) return [];
      if (line.text !== null) line.text = `${line.text}, ${text}`;
      return [{ text: line.text }];
    }),
});

export const remove = mutation({
  args: { line: v.number() },
  returns: changes,
  handler: async (ctx, { line: wanted }) =>
    await atDesk(ctx, (desk) => {
      const line = byId(desk.lines, wanted);
      if (line === undefined) return [{ changed: 0 }];
      deleteLine(desk, line);
      return [{ changed: 1 }];
    }),
});

export const list = query({
  args: { invoice: v.number() },
  returns: v.array(
    v.object({
      id: v.number(),
      text: textOrNull,
      quantity: v.number(),
      price: v.number(),
      rate: textOrNull,
      tax: numberOrNull,
      percent: numberOrNull,
    }),
  ),
  handler: async (ctx, { invoice }) => {
    const [lines, rates] = await Promise.all([
      ctx.db
        .query("lines")
        .withIndex("by_invoice", (q) => q.eq("invoice", invoice))
        .collect(),
      ctx.db.query("rates").collect(),
    ]);
    // Unlike foreign keys, this join tells capital from small letters.
    const percents = new Map(rates.map((row) => [row.code, row.percent]));
    return inOrder(lines, (row) => row.id).map(({ id, text, quantity, price, rate, tax }) => ({
      id,
      text,
      quantity,
      price,
      rate,
      tax,
      percent: rate === null ? null : (percents.get(rate) ?? null),
    }));
  },
});
