// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { toEuros, toStored } from "../lib/prices";

type StoredLine = Doc<"orders">["lines"][number];

export type Line = Omit<StoredLine, "price"> & { price: number };

export function readLines(stored: StoredLine[]): Line[] {
  return stored.map((line) => ({ ...line, price: toEuros(line.price) }));
}

export function storeLines(lines: Line[]): StoredLine[] {
  return lines.map((line) => ({ ...line, price: toStored(line.price) }));
}

/** Changes the lines of an order. They are in euros now, so the order has to be converted again. */
export async function writeLines(
  ctx: MutationCtx,
  order: Doc<"orders">,
  lines: Line[],
): Promise<void> {
  await ctx.db.patch("orders", order._id, { lines: storeLines(lines) });
  const rollout = await ctx.db.query("rollout").first();
  if (rollout !== null && rollout.ordersUpTo > order._creationTime) {
    await ctx.db.patch("rollout", rollout._id, { ordersUpTo: order._creationTime });
  }
}
