// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";

/** The time between two tries of a refund. */
export const REFUND_RETRY_MS = 5 * 60 * 1000;

/** Gives the money of a charge back. */
export async function giveBack(
  ctx: MutationCtx,
  fields: Pick<Doc<"refunds">, "order" | "charge" | "amount">,
): Promise<void> {
  const refund = await ctx.db.insert("refunds", {
    ...fields,
    state: "waiting",
    nextAt: Date.now() + REFUND_RETRY_MS,
  });
  await ctx.scheduler.runAfter(0, internal.payments.refunds.send, { refund });
}
