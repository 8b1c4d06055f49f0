// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import { toEuros, toStored } from "../lib/prices";

/** A line as it is computed with and shown: its price is euros. */
export type Line = { sku: string; name: string; quantity: number; price: number };

export function readLines(order: Pick<Doc<"orders">, "lines">): Line[] {
  return order.lines.map(({ sku, name, quantity, price }) => ({
    sku,
    name,
    quantity,
    price: toEuros(price),
  }));
}

/** What to write into an order that shall have these lines. */
export function storeLines(lines: Line[]) {
  return { lines: lines.map((line) => ({ ...line, price: toStored(line.price) })) };
}
