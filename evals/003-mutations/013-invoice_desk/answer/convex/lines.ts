// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { findInvoice, listLines } from "./model/invoices";
import { deleteLine, findLine, findRate, insertLine, updateLine } from "./model/lines";
import { refuse } from "./model/refusals";
import { castToInteger } from "./model/sqlite";

const maybeText = v.union(v.string(), v.null());

export const add = mutation({
  args: {
    invoice: v.number(),
    text: maybeText,
    quantity: v.string(),
    price: v.number(),
    rate: maybeText,
  },
  handler: async (ctx, args) => {
    const id = await insertLine(ctx, { ...args, quantity: castToInteger(args.quantity) });
    const line = await findLine(ctx, id);
    const invoice = await findInvoice(ctx, args.invoice);
    if (line === null || invoice === null) return [];
    const { text, quantity, tax } = line;
    return [{ id, text, quantity, tax, total: invoice.total }];
  },
});

export const addWork = mutation({
  args: { invoice: v.number(), price: v.number() },
  handler: async (ctx, { invoice, price }) => {
    await insertLine(ctx, { invoice, text: "Work", quantity: 1, price, rate: null });
    const after = await findInvoice(ctx, invoice);
    return after === null ? [] : [{ total: after.total }];
  },
});

export const change = mutation({
  args: { line: v.number(), price: v.union(v.number(), v.null()), rate: maybeText },
  handler: async (ctx, { line, price, rate }) => {
    const found = await findLine(ctx, line);
    if (found === null) return [{ changed: 0 }];
    if (rate !== null && (await findRate(ctx, rate)) === null) refuse("no such rate");
    await updateLine(ctx, found, { price: price ?? found.price, rate });
    return [{ changed: 1 }];
  },
});

export const describe = mutation({
  args: { line: v.number(), text: v.string() },
  handler: async (ctx, { line, text }) => {
    const found = await findLine(ctx, line);
    if (found === null) return [];
    const longer = found.text === null ? null : `${found.text}, ${text}`;
    await ctx.db.patch("lines", found._id, { text: longer });
    return [{ text: longer }];
  },
});

export const remove = mutation({
  args: { line: v.number() },
  handler: async (ctx, { line }) => {
    const found = await findLine(ctx, line);
    if (found !== null) await deleteLine(ctx, found);
    return [{ changed: found === null ? 0 : 1 }];
  },
});

export const list = query({
  args: { invoice: v.number() },
  handler: async (ctx, { invoice }) => {
    const lines = await listLines(ctx, invoice);
    return await Promise.all(
      lines.map(async ({ id, text, quantity, price, rate, tax }) => {
        const found = rate === null ? null : await findRate(ctx, rate);
        // `l.rate = r.code` compares as the left column does: letter by letter.
        const percent = found !== null && found.code === rate ? found.percent : null;
        return { id, text, quantity, price, rate, tax, percent };
      }),
    );
  },
});
