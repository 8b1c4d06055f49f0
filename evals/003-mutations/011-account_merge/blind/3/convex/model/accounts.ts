// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { refuse } from "../lib/errors";
import { findRider } from "./riders";

/** Adds an amount to a rider's credit, or takes it if it is negative. No credit falls below zero. */
export async function changeCredit(
  ctx: MutationCtx,
  id: Id<"riders">,
  amount: number,
  text: string,
): Promise<void> {
  if (amount === 0) return;
  const rider = (await findRider(ctx, id)) ?? refuse("not_found");
  const credit = rider.credit + amount;
  if (credit < 0) refuse("credit");
  await ctx.db.patch("riders", rider._id, { credit });
  await ctx.db.insert("entries", { rider: rider._id, amount, text });
}

/** Tells a rider something, on the page and as a number beside the bell. */
export async function notify(ctx: MutationCtx, id: Id<"riders">, text: string): Promise<void> {
  const rider = (await findRider(ctx, id)) ?? refuse("not_found");
  await ctx.db.patch("riders", rider._id, { unread: rider.unread + 1 });
  await ctx.db.insert("notices", { rider: rider._id, text, isRead: false });
}
