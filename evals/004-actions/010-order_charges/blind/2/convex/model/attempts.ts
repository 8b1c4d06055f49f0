// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { beginRefund } from "./refunds";
import { addPoints, sendReceipt } from "./rewards";
import { releaseGoods } from "./stock";
import { addTakings } from "./takings";

/*
 * An attempt is open (it has `nextAt`) until it is certain how it ended, also when its order is
 * cancelled meanwhile. Until then it has turns, see payments/charges.ts.
 */

/** Begins to charge an order that has become `charging`, because its customer asks for it. */
export async function beginAttempt(ctx: MutationCtx, order: Id<"orders">): Promise<void> {
  const now = Date.now();
  const attempt = await ctx.db.insert("attempts", {
    order,
    askedAt: now,
    isOld: false,
    nextAt: now,
  });
  await ctx.db.patch("orders", order, { attempt });
  await ctx.scheduler.runAfter(0, internal.payments.charges.next, { attempt });
}

/** Begins to ask what became of charges of an order that were requested without an attempt. */
export async function watchOldCharges(ctx: MutationCtx, order: Doc<"orders">): Promise<void> {
  const now = Date.now();
  const attempt = await ctx.db.insert("attempts", {
    order: order._id,
    askedAt: now,
    isOld: true,
    // The last request may have been sent just now.
    sentAt: now,
    nextAt: now,
  });
  if (order.attempt === undefined) await ctx.db.patch("orders", order._id, { attempt });
  await ctx.scheduler.runAfter(0, internal.payments.charges.next, { attempt });
}

/** Gives the attempt of an order that is `charging` its turn now. */
export async function hurry(ctx: MutationCtx, order: Doc<"orders">): Promise<void> {
  if (order.attempt === undefined) {
    await watchOldCharges(ctx, order);
    return;
  }
  const attempt = await ctx.db.get("attempts", order.attempt);
  if (attempt === null || attempt.nextAt === undefined) return;
  await ctx.db.patch("attempts", attempt._id, { nextAt: Date.now() });
  await ctx.scheduler.runAfter(0, internal.payments.charges.next, { attempt: attempt._id });
}

/**
 * Takes note that Paylane has charged a card. The money pays for the order if that waits for it, and
 * goes back otherwise. To be told of a charge twice does no harm.
 */
export async function receiveCharge(
  ctx: MutationCtx,
  id: Id<"orders">,
  charge: string,
  amount: number,
): Promise<void> {
  const order = await ctx.db.get("orders", id);
  if (order === null || order.charge === charge) return;
  const refund = await ctx.db
    .query("refunds")
    .withIndex("by_charge", (q) => q.eq("charge", charge))
    .first();
  if (refund !== null) return;
  if (order.state !== "charging") {
    await beginRefund(ctx, { order: id, charge, amount });
    return;
  }
  await ctx.db.patch("orders", id, { state: "paid", charge, total: amount });
  await addTakings(ctx, amount);
  const customer = await ctx.db.get("customers", order.customer);
  if (customer !== null) {
    await addPoints(ctx, customer, amount);
    await sendReceipt(ctx, customer, order.number, amount);
  }
}

/** Ends an attempt, whose outcome is certain. If its order still waits for it, it is refused. */
export async function endAttempt(
  ctx: MutationCtx,
  attempt: Doc<"attempts">,
  refusal: string,
): Promise<void> {
  await ctx.db.patch("attempts", attempt._id, { nextAt: undefined });
  const order = await ctx.db.get("orders", attempt.order);
  if (order === null || order.state !== "charging" || order.attempt !== attempt._id) return;
  await releaseGoods(ctx, order.lines);
  await ctx.db.patch("orders", order._id, { state: "refused", refusal });
}
