// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { refuse } from "../lib/errors";

type Wanted = Pick<Doc<"invoices">, "day" | "text" | "amount"> & {
  subscription?: Id<"subscriptions">;
};

/** Writes an invoice, which uses up the customer's credit as far as it reaches. */
export async function createInvoice(
  ctx: MutationCtx,
  id: Id<"customers">,
  invoice: Wanted,
): Promise<Id<"invoices">> {
  const customer = (await ctx.db.get("customers", id)) ?? refuse("not_found");
  const credit = Math.min(customer.credit, invoice.amount);
  if (credit > 0) await ctx.db.patch("customers", id, { credit: customer.credit - credit });
  return await ctx.db.insert("invoices", {
    ...invoice,
    customer: id,
    credit,
    due: invoice.amount - credit,
  });
}

/** Adds to what the customer's next invoices use up. */
export async function addCredit(
  ctx: MutationCtx,
  id: Id<"customers">,
  amount: number,
): Promise<void> {
  const customer = (await ctx.db.get("customers", id)) ?? refuse("not_found");
  await ctx.db.patch("customers", id, { credit: customer.credit + amount });
}
