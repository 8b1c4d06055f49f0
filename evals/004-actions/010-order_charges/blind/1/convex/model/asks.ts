// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { addPoints, sendReceipt } from "./rewards";
import { releaseGoods } from "./stock";
import { addTakings } from "./takings";

/*
 * An ask is what a customer has asked us to charge, once, by placing an order or by paying again. It has
 * one key for all requests to Paylane, and is open until we know how it ended. An order has one open ask
 * at most, which may outlive its cancellation.
 *
 * - For POST_MS the charge is requested, each time with the same key and the same body.
 * - Later, and of cancelled orders, we only look how it ended.
 */

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** So long after the ask a charge is requested. */
export const POST_MS = 46 * MINUTE;
/** What Paylane does not list so long after it was sent will not be carried out. */
export const LISTED_MS = 150 * SECOND;

/** The next time when something is done about an ask whose charge is requested now. */
export const afterPost = (now: number): number => now + 4 * MINUTE;

/** The next time when something is done about an ask that is looked up now. */
export function afterLook(ask: Doc<"asks">, now: number): number {
  return now + (now < ask.askedAt + 65 * MINUTE ? 50 * SECOND : 5 * MINUTE);
}

export interface Charged {
  id: string;
  amount: number;
}

/** Writes down that a customer asks for a charge now, and begins with it. */
export async function ask(ctx: MutationCtx, order: Id<"orders">, card: string): Promise<void> {
  const now = Date.now();
  const id = await ctx.db.insert("asks", {
    order,
    key: crypto.randomUUID(),
    card,
    askedAt: now,
    isOpen: true,
    nextAt: now + MINUTE,
  });
  await ctx.db.patch("orders", order, { ask: id });
  await ctx.scheduler.runAfter(0, internal.payments.charges.charge, { order });
}

/**
 * Gives an ask to an order of the time before there were any. Nobody knows with which keys it was
 * requested, so nothing is requested any more: whatever Paylane lists for it counts.
 */
export async function adopt(ctx: MutationCtx, order: Doc<"orders">): Promise<void> {
  const now = Date.now();
  const id = await ctx.db.insert("asks", {
    order: order._id,
    card: order.card,
    askedAt: now,
    sentAt: now,
    isOpen: true,
    nextAt: now + LISTED_MS,
  });
  await ctx.db.patch("orders", order._id, { ask: id });
}

/**
 * Ends an ask with what was charged for it, which may be nothing. A charge that does not pay for the
 * order goes back. Charges that are known already are left out, so a second time is harmless.
 */
export async function settle(
  ctx: MutationCtx,
  id: Id<"asks">,
  charges: Charged[],
  refusal: string,
): Promise<void> {
  const row = await ctx.db.get("asks", id);
  const order = row === null ? null : await ctx.db.get("orders", row.order);
  if (row === null || order === null) return;
  const known = row.charges ?? [];
  const fresh = charges.filter((each) => !known.includes(each.id));
  if (!row.isOpen && fresh.length === 0) return;
  await ctx.db.patch("asks", id, {
    isOpen: false,
    charges: [...known, ...fresh.map((each) => each.id)],
  });
  let back = fresh;
  if (row.isOpen && order.state === "charging" && order.ask === id) {
    const [paidBy, ...others] = fresh;
    back = others;
    if (paidBy === undefined) {
      await releaseGoods(ctx, order.lines);
      await ctx.db.patch("orders", order._id, { state: "refused", refusal });
    } else {
      await pay(ctx, order, paidBy);
    }
  }
  for (const { id: charge, amount } of back) {
    await addRefund(ctx, { order: order._id, charge, amount });
  }
}

async function pay(ctx: MutationCtx, order: Doc<"orders">, charged: Charged): Promise<void> {
  const { id, amount } = charged;
  await ctx.db.patch("orders", order._id, { state: "paid", charge: id, total: amount });
  await addTakings(ctx, amount);
  const customer = await ctx.db.get("customers", order.customer);
  if (customer !== null) {
    await addPoints(ctx, customer, amount);
    await sendReceipt(ctx, customer, order.number, amount);
  }
}

/** Gives money back. */
export async function addRefund(
  ctx: MutationCtx,
  fields: { order: Id<"orders">; charge: string; amount: number },
): Promise<void> {
  const refund = await ctx.db.insert("refunds", { ...fields, state: "waiting" });
  await ctx.scheduler.runAfter(0, internal.payments.refunds.send, { refund });
}
