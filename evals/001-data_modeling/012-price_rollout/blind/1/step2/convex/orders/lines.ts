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

export async function writeLines(
  ctx: MutationCtx,
  order: Doc<"orders">,
  lines: Line[],
): Promise<void> {
  await ctx.db.patch("orders", order._id, { lines: storeLines(lines) });
}
