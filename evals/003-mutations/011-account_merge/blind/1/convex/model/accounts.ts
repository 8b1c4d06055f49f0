// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { refuse } from "../lib/errors";

/*
 * An account that was merged into another one stays as a row of `riders` that names the other one:
 * its id means that rider for ever. Its logins, clubs, memberships, bans, credit and number of
 * unread notices go over at once, the rest while it `isMoving`. New rows never name it.
 */

/** Returns the rider whom an id means. */
export async function findRider(
  ctx: QueryCtx,
  id: Id<"riders">,
): Promise<Doc<"riders"> | null> {
  const rider = await ctx.db.get("riders", id);
  return rider?.mergedInto === undefined ? rider : await findRider(ctx, rider.mergedInto);
}

/** Returns the id of the rider whom an id means. */
export async function currentId(ctx: QueryCtx, id: Id<"riders">): Promise<Id<"riders">> {
  const rider = await findRider(ctx, id);
  return rider?._id ?? id;
}

/** Returns all ids that rows may have for a rider: their own one is the first. */
export async function accountsOf(ctx: QueryCtx, id: Id<"riders">): Promise<Id<"riders">[]> {
  const rider = await currentId(ctx, id);
  const moving = await ctx.db
    .query("riders")
    .withIndex("by_merged_into", (q) => q.eq("mergedInto", rider).eq("isMoving", true))
    .collect();
  return [rider, ...moving.map(({ _id }) => _id)];
}

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
