// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v, type Infer } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { internalMutation, mutation, type MutationCtx } from "./_generated/server";
import { monthAt } from "./lib/days";
import { groupBy, sum } from "./lib/lists";
import { addToBalance, addToMonth } from "./model/totals";

/** One line of a transfer: so many cents are for this invoice. */
const line = v.object({ invoice: v.id("invoices"), amount: v.number() });

export const transfer = v.object({ reference: v.string(), lines: v.array(line) });

/** Gives an invoice what the lines have for it. */
async function settle(
  ctx: MutationCtx,
  reference: string,
  id: Id<"invoices">,
  lines: Infer<typeof line>[],
): Promise<void> {
  const invoice = await ctx.db.get("invoices", id);
  if (invoice === null || invoice.state === "void") throw new ConvexError("no_invoice");
  if (lines.some(({ amount }) => !Number.isInteger(amount) || amount <= 0)) {
    throw new ConvexError("bad_amount");
  }
  const amount = sum(lines, (each) => each.amount);
  const paid = invoice.paid + amount;
  if (paid > invoice.amount) throw new ConvexError("overpaid");
  const { client } = invoice;
  const month = monthAt(Date.now());
  await ctx.db.patch("invoices", id, { paid, state: paid === invoice.amount ? "paid" : "open" });
  await ctx.db.insert("payments", { reference, client, amount, month });
  await addToMonth(ctx, client, month, { paid: amount });
  await addToBalance(ctx, client, -amount);
}

/** Books a transfer, all lines or none. The bank sends some twice: the second time is ignored. */
async function book(ctx: MutationCtx, { reference, lines }: Infer<typeof transfer>): Promise<void> {
  const former = await ctx.db
    .query("payments")
    .withIndex("by_reference", (q) => q.eq("reference", reference))
    .first();
  if (former !== null) return;
  const byInvoice = groupBy(lines, ({ invoice }) => invoice);
  // One after the other: invoices of one client share its month and balance.
  for (const [invoice, group] of byInvoice) await settle(ctx, reference, invoice, group);
}

export const receive = mutation({
  args: transfer.fields,
  returns: v.null(),
  handler: async (ctx, args) => {
    await book(ctx, args);
    return null;
  },
});

export const fromBank = internalMutation({
  args: transfer.fields,
  returns: v.null(),
  handler: async (ctx, args) => {
    await book(ctx, args);
    return null;
  },
});
