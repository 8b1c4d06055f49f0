// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { refuse } from "../lib/errors";

/*
 * The life of an order:
 *
 *   charging -> paid -> shipped
 *   charging -> refused -> charging   (the customer pays again, with this card or another one)
 *   charging, paid or refused -> cancelled
 *
 * - From `charging` on an order holds its goods (model/stock.ts). It gives them back when it becomes
 *   refused or cancelled, each time once, and takes them again when it is paid again.
 * - Becoming `paid` brings the customer one receipt and their points, and us an entry in the takings
 *   of the day. All three, and the order's total from then on, are what Paylane has charged.
 * - `cancelled` is the end. Paylane is asked for nothing more than how a charge ended, and for the
 *   money back.
 */

export async function getOwnOrder(
  ctx: QueryCtx,
  customer: Doc<"customers">,
  id: Id<"orders">,
): Promise<Doc<"orders">> {
  const order = await ctx.db.get("orders", id);
  if (order === null || order.customer !== customer._id) refuse("not_found");
  return order;
}

/** Orders are numbered F-1001, F-1002, ...; Paylane knows them by this number. */
export async function takeNumber(ctx: MutationCtx): Promise<string> {
  const counter = await ctx.db.query("numbers").first();
  const next = (counter?.last ?? 1000) + 1;
  if (counter === null) await ctx.db.insert("numbers", { last: next });
  else await ctx.db.patch("numbers", counter._id, { last: next });
  return `F-${next}`;
}

/** What customers see of an order. */
export function showOrder(order: Doc<"orders">) {
  return {
    id: order._id,
    number: order.number,
    lines: order.lines.map(({ title, quantity, price }) => ({ title, quantity, price })),
    total: order.total,
    state: order.state,
    refusal: order.state === "refused" ? (order.refusal ?? null) : null,
  };
}
