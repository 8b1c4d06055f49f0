// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { giveBack } from "./refunds";
import { addPoints, sendReceipt } from "./rewards";
import { releaseGoods } from "./stock";
import { addTakings } from "./takings";

/*
 * What a customer asks us to charge, by placing an order or by paying again, is an attempt. Its id is
 * the key of all its requests, which all say the same. An attempt is open until it is certain how it
 * ended:
 *
 * - For REQUEST_MS after the customer asked, the card is requested to be charged, again and again.
 * - From then on, or once the order is cancelled, Paylane is only asked how the charge ended. What it
 *   does not list CERTAIN_MS after the last request will not be carried out.
 *
 * Orders that were being charged before there were attempts get one as soon as it is missed. Under
 * which keys their cards were requested is not known, so that whatever Paylane lists for such an order
 * counts. Only if that is nothing may it be requested with a key of ours.
 */

const MINUTE_MS = 60 * 1000;

/** For so long after the customer asked, charges are requested. */
export const REQUEST_MS = 46 * MINUTE_MS;
/** The time between two requests. */
export const RETRY_MS = 5 * MINUTE_MS;
/** The time between two questions how a charge ended; a bit less than the cron's. */
export const LOOK_MS = 50 * 1000;
/** A request is sent so soon after it is noted, or not at all. */
export const SEND_MS = 30 * 1000;
/** So long after it was noted, a request that is not listed will not be carried out. */
export const CERTAIN_MS = 3 * MINUTE_MS;

export const UNREACHABLE = "The payment service cannot be reached.";

/** Begins to charge an order. */
export async function beginCharge(
  ctx: MutationCtx,
  order: Id<"orders">,
  card: string,
): Promise<void> {
  const now = Date.now();
  const attempt = await ctx.db.insert("attempts", {
    order,
    card,
    askedAt: now,
    isOpen: true,
    nextAt: now + RETRY_MS,
  });
  await ctx.db.patch("orders", order, { attempt });
  await ctx.scheduler.runAfter(0, internal.payments.charges.charge, { order });
}

/** Makes the attempt of an order that has been charged without one. */
export async function adopt(
  ctx: MutationCtx,
  order: Doc<"orders">,
): Promise<Doc<"attempts"> | null> {
  const now = Date.now();
  const attempt = await ctx.db.insert("attempts", {
    order: order._id,
    card: order.card,
    askedAt: order.placedAt,
    // No request without an attempt was sent later than this.
    sentAt: now,
    isAdopted: true,
    isOpen: true,
    nextAt: now,
  });
  await ctx.db.patch("orders", order._id, { attempt });
  return await ctx.db.get("attempts", attempt);
}

/** Sees to it that it is found out how the charge of a cancelled order ended. */
export async function watchCancelled(ctx: MutationCtx, order: Doc<"orders">): Promise<void> {
  if (order.attempt === undefined) await adopt(ctx, order);
  else await ctx.db.patch("attempts", order.attempt, { nextAt: Date.now() });
}

/** Ends an attempt whose card was charged. */
export async function endCharged(
  ctx: MutationCtx,
  attempt: Doc<"attempts">,
  charge: string,
  amount: number,
): Promise<void> {
  await ctx.db.patch("attempts", attempt._id, { isOpen: false });
  const order = await ctx.db.get("orders", attempt.order);
  if (order === null) return;
  if (order.state !== "charging") {
    await giveBack(ctx, { order: order._id, charge, amount });
    return;
  }
  await ctx.db.patch("orders", order._id, { state: "paid", charge, total: amount });
  await addTakings(ctx, amount);
  const customer = await ctx.db.get("customers", order.customer);
  if (customer !== null) {
    await addPoints(ctx, customer, amount);
    await sendReceipt(ctx, customer, order.number, amount);
  }
}

/** Ends an attempt whose card was not charged and will not be. */
export async function endRefused(
  ctx: MutationCtx,
  attempt: Doc<"attempts">,
  refusal: string,
): Promise<void> {
  await ctx.db.patch("attempts", attempt._id, { isOpen: false });
  const order = await ctx.db.get("orders", attempt.order);
  if (order === null || order.state !== "charging") return;
  await releaseGoods(ctx, order.lines);
  await ctx.db.patch("orders", order._id, { state: "refused", refusal });
}
