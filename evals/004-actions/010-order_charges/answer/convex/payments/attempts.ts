// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";

/** The time between two looks at what is under way. */
export const PAUSE_MS = 4 * 60 * 1000;

/** Begins to charge an order that has just become `charging`, under a key of its own. */
export async function beginAttempt(ctx: MutationCtx, id: Id<"orders">): Promise<void> {
  const order = await ctx.db.get("orders", id);
  if (order === null) return;
  const now = Date.now();
  const attempt = await ctx.db.insert("attempts", {
    order: id,
    key: crypto.randomUUID(),
    amount: order.total,
    card: order.card,
    askedAt: now,
    sentAt: now,
    open: true,
    nextAt: now + PAUSE_MS,
  });
  await ctx.db.patch("orders", id, { attempt });
  await ctx.scheduler.runAfter(0, internal.payments.charges.charge, { order: id });
}

/** Has an attempt that is open looked at soon. */
export async function hurry(ctx: MutationCtx, id: Id<"attempts"> | undefined): Promise<void> {
  const attempt = id === undefined ? null : await ctx.db.get("attempts", id);
  if (attempt?.open) await ctx.db.patch("attempts", attempt._id, { nextAt: Date.now() });
}
