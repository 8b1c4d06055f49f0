// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { refuse } from "../lib/errors";

/** Returns the account that this one is a part of today, which may be itself. */
export async function survivorOf(ctx: QueryCtx, id: Id<"riders">): Promise<Id<"riders">> {
  const rider = await ctx.db.get("riders", id);
  return rider?.mergedInto ?? id;
}

/** Returns all accounts that rows of a rider may name: the rider's own, and those that still move. */
export async function accountsOf(ctx: QueryCtx, rider: Id<"riders">): Promise<Id<"riders">[]> {
  const moving = await ctx.db
    .query("riders")
    .withIndex("by_merged", (q) => q.eq("mergedInto", rider).eq("isMoving", true))
    .take(100);
  return [rider, ...moving.map(({ _id }) => _id)];
}

/** Adds an amount to a rider's credit, or takes it if it is negative. No credit falls below zero. */
export async function changeCredit(
  ctx: MutationCtx,
  account: Id<"riders">,
  amount: number,
  text: string,
): Promise<void> {
  if (amount === 0) return;
  const id = await survivorOf(ctx, account);
  const rider = (await ctx.db.get("riders", id)) ?? refuse("not_found");
  const credit = rider.credit + amount;
  if (credit < 0) refuse("credit");
  await ctx.db.patch("riders", id, { credit });
  await ctx.db.insert("entries", { rider: id, amount, text });
}

/** Tells a rider something, on the page and as a number beside the bell. */
export async function notify(
  ctx: MutationCtx,
  account: Id<"riders">,
  text: string,
): Promise<void> {
  const id = await survivorOf(ctx, account);
  const rider = (await ctx.db.get("riders", id)) ?? refuse("not_found");
  await ctx.db.patch("riders", id, { unread: rider.unread + 1 });
  await ctx.db.insert("notices", { rider: id, text, isRead: false });
}
