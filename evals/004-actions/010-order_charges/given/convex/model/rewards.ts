// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { formatAmount } from "../lib/money";

/** One point for each full euro. */
const CENTS_PER_POINT = 100;

export async function addPoints(
  ctx: MutationCtx,
  customer: Doc<"customers">,
  amount: number,
): Promise<void> {
  const points = customer.points + Math.floor(amount / CENTS_PER_POINT);
  await ctx.db.patch("customers", customer._id, { points });
}

/** Points of an order that is cancelled after it was paid go back; nobody gets below zero. */
export async function takePointsBack(
  ctx: MutationCtx,
  customer: Doc<"customers">,
  amount: number,
): Promise<void> {
  const points = Math.max(0, customer.points - Math.floor(amount / CENTS_PER_POINT));
  await ctx.db.patch("customers", customer._id, { points });
}

/** Puts a receipt into the outbox, which the mail service empties. */
export async function sendReceipt(
  ctx: MutationCtx,
  customer: Doc<"customers">,
  number: string,
  amount: number,
): Promise<void> {
  await ctx.db.insert("mails", {
    to: customer.email,
    subject: `Receipt for ${number}`,
    text: `Thank you! We have charged ${formatAmount(amount)}.`,
  });
}
