// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { findInvoice, listLines, updateInvoice } from "./invoices";
import { refuse } from "./refusals";
import { divide, fold, sum } from "./sqlite";

export type Line = Doc<"lines">;

export async function findRate(ctx: QueryCtx, code: string): Promise<Doc<"rates"> | null> {
  return await ctx.db
    .query("rates")
    .withIndex("by_key", (q) => q.eq("key", fold(code)))
    .unique();
}

export async function findLine(ctx: QueryCtx, id: number): Promise<Line | null> {
  return await ctx.db
    .query("lines")
    .withIndex("by_number", (q) => q.eq("id", id))
    .unique();
}

async function computeTax(
  ctx: QueryCtx,
  { quantity, price, rate }: Pick<Line, "quantity" | "price" | "rate">,
): Promise<number | null> {
  if (rate === null) return null;
  const found = await findRate(ctx, rate);
  return found === null ? null : divide(quantity * price * found.percent, 100);
}

export async function insertLine(
  ctx: MutationCtx,
  line: Pick<Line, "invoice" | "text" | "quantity" | "price" | "rate">,
): Promise<number> {
  const invoice = await findInvoice(ctx, line.invoice);
  if (invoice === null) refuse("no such invoice");
  if (invoice.state !== "draft") refuse("the invoice is issued");
  if (line.quantity === 0) refuse("quantity <> 0");
  if (line.rate !== null && (await findRate(ctx, line.rate)) === null) refuse("no such rate");
  const last = await ctx.db.query("lines").withIndex("by_number").order("desc").first();
  const id = (last?.id ?? 0) + 1;
  const tax = await computeTax(ctx, line);
  const rateKey = line.rate === null ? null : fold(line.rate);
  await ctx.db.insert("lines", { ...line, id, rateKey, tax });
  if (invoice.total !== null) {
    const total = invoice.total + line.quantity * line.price + (tax ?? 0);
    await updateInvoice(ctx, invoice, { total });
  }
  return id;
}

/** Updates price or rate, with what the trigger lines_changed does. */
export async function updateLine(
  ctx: MutationCtx,
  line: Line,
  { price, rate }: { price: number; rate: string | null },
): Promise<void> {
  const tax = await computeTax(ctx, { ...line, price, rate });
  const rateKey = rate === null ? null : fold(rate);
  await ctx.db.patch("lines", line._id, { price, rate, rateKey, tax });
  const invoice = await findInvoice(ctx, line.invoice);
  if (invoice === null) return;
  const lines = await listLines(ctx, line.invoice);
  const total = sum(
    lines.map((each) => (each.tax === null ? null : each.quantity * each.price + each.tax)),
  );
  await updateInvoice(ctx, invoice, { total });
}

export async function deleteLine(ctx: MutationCtx, line: Line): Promise<void> {
  await ctx.db.delete("lines", line._id);
  const invoice = await findInvoice(ctx, line.invoice);
  if (invoice === null) return;
  const lines = await listLines(ctx, line.invoice);
  const total = sum(lines.map((each) => each.quantity * each.price + (each.tax ?? 0)));
  await updateInvoice(ctx, invoice, { total });
}
