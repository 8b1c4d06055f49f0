// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

type Changes = Partial<Pick<Doc<"invoices">, "amount" | "paid" | "due" | "void">>;

export const openOf = (invoice: Pick<Doc<"invoices">, "amount" | "paid" | "void">): number =>
  invoice.void === true ? 0 : Math.max(0, invoice.amount - invoice.paid);

export async function getInvoice(ctx: QueryCtx, id: Id<"invoices">): Promise<Doc<"invoices">> {
  const invoice = await ctx.db.get("invoices", id);
  if (invoice === null) throw new ConvexError("not_found");
  return invoice;
}

/** Changes an invoice, what is open of it, and what its customer owes. */
export async function changeInvoice(
  ctx: MutationCtx,
  id: Id<"invoices">,
  changes: Changes,
): Promise<void> {
  const invoice = await getInvoice(ctx, id);
  const open = openOf({ ...invoice, ...changes });
  await ctx.db.patch("invoices", id, { ...changes, open });
  await addOwed(ctx, invoice.customer, open - invoice.open);
}

export async function addOwed(
  ctx: MutationCtx,
  id: Id<"customers">,
  difference: number,
): Promise<void> {
  if (difference === 0) return;
  const customer = await ctx.db.get("customers", id);
  if (customer === null) throw new ConvexError("not_found");
  await ctx.db.patch("customers", id, { owed: customer.owed + difference });
}
