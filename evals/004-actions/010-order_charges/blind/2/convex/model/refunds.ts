// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";

const PAUSE_MS = 5 * 60 * 1000;

/** Gives the money of a charge back. */
export async function beginRefund(
  ctx: MutationCtx,
  refund: { order: Id<"orders">; charge: string; amount: number },
): Promise<void> {
  await takeTurn(ctx, await ctx.db.insert("refunds", { ...refund, state: "waiting" }));
}

/** Tries a refund that waits now, and again after a pause. */
export async function takeTurn(ctx: MutationCtx, refund: Id<"refunds">): Promise<void> {
  const nextAt = Date.now() + PAUSE_MS;
  await ctx.db.patch("refunds", refund, { nextAt });
  await ctx.scheduler.runAfter(0, internal.payments.refunds.send, { refund });
  await ctx.scheduler.runAt(nextAt, internal.payments.refunds.next, { refund });
}
