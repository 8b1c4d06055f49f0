// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { PAUSE_MS } from "./attempts";

/** Gives back what an order was charged. */
export async function createRefund(
  ctx: MutationCtx,
  order: Id<"orders">,
  charge: string,
  amount: number,
): Promise<void> {
  const refund = await ctx.db.insert("refunds", {
    order,
    charge,
    amount,
    state: "waiting",
    nextAt: Date.now() + PAUSE_MS,
  });
  await ctx.scheduler.runAfter(0, internal.payments.refunds.send, { refund });
}
