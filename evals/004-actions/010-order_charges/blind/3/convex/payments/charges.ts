// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import { internal } from "../_generated/api";
import type { Doc } from "../_generated/dataModel";
import { internalAction, internalMutation, type MutationCtx } from "../_generated/server";
import {
  adopt,
  CERTAIN_MS,
  endCharged,
  endRefused,
  LOOK_MS,
  REQUEST_MS,
  RETRY_MS,
  SEND_MS,
  UNREACHABLE,
} from "../model/charges";
import { giveBack } from "../model/refunds";
import { findCharges, requestCharge } from "./paylane";

const BATCH = 100;

/** What is to be done next about an attempt. */
const step = v.union(
  v.object({
    kind: v.literal("request"),
    attempt: v.id("attempts"),
    amount: v.number(),
    card: v.string(),
    reference: v.string(),
    sendBy: v.number(),
  }),
  v.object({
    kind: v.literal("look"),
    attempt: v.id("attempts"),
    reference: v.string(),
    lookedAt: v.number(),
  }),
);

const listedCharge = v.object({
  id: v.string(),
  key: v.string(),
  amount: v.number(),
  status: v.union(v.literal("succeeded"), v.literal("refused"), v.literal("pending")),
  reason: v.optional(v.string()),
});

/** Tries to charge an order, or to find out how its charge ended. To try twice does no harm. */
export const charge = internalAction({
  args: { order: v.id("orders") },
  returns: v.null(),
  handler: async (ctx, { order }): Promise<null> => {
    const next: Infer<typeof step> | null = await ctx.runMutation(
      internal.payments.charges.begin,
      { order },
    );
    if (next === null) return null;
    const { attempt, reference } = next;
    try {
      if (next.kind === "look") {
        const charges = await findCharges(reference);
        const { lookedAt } = next;
        await ctx.runMutation(internal.payments.charges.found, { attempt, lookedAt, charges });
      } else if (Date.now() <= next.sendBy) {
        const { amount, card } = next;
        const reply = await requestCharge({ amount, card, reference }, attempt);
        await ctx.runMutation(internal.payments.charges.finish, { attempt, ...reply });
      }
    } catch (error) {
      // Not certain: it is tried again.
      console.error("Paylane", reference, error);
    }
    return null;
  },
});

/** Decides what to do next about an order, and notes that it is done. */
export const begin = internalMutation({
  args: { order: v.id("orders") },
  returns: v.nullable(step),
  handler: async (ctx, { order: id }): Promise<Infer<typeof step> | null> => {
    const order = await ctx.db.get("orders", id);
    if (order === null) return null;
    const attempt = await getAttempt(ctx, order);
    if (attempt === null || !attempt.isOpen) return null;
    const now = Date.now();
    const { _id, card, sentAt } = attempt;
    const reference = order.number;
    const mayRequest = order.state === "charging" && attempt.isAdopted !== true;
    if (mayRequest && now <= attempt.askedAt + REQUEST_MS) {
      // The first request decides on the amount.
      const amount = attempt.amount ?? order.total;
      await ctx.db.patch("attempts", _id, { amount, sentAt: now, nextAt: now + RETRY_MS });
      return { kind: "request", attempt: _id, amount, card, reference, sendBy: now + SEND_MS };
    }
    if (sentAt === undefined) {
      await endRefused(ctx, attempt, UNREACHABLE);
      return null;
    }
    await ctx.db.patch("attempts", _id, { nextAt: now + LOOK_MS });
    return { kind: "look", attempt: _id, reference, lookedAt: now };
  },
});

async function getAttempt(
  ctx: MutationCtx,
  order: Doc<"orders">,
): Promise<Doc<"attempts"> | null> {
  if (order.attempt !== undefined) return await ctx.db.get("attempts", order.attempt);
  return order.state === "charging" ? await adopt(ctx, order) : null;
}

/** Takes one of the two final answers to a request. */
export const finish = internalMutation({
  args: {
    attempt: v.id("attempts"),
    charge: v.optional(v.string()),
    refusal: v.optional(v.string()),
  },
  returns: v.null(),
  handler: async (ctx, { attempt: id, charge: paidBy, refusal }) => {
    const attempt = await ctx.db.get("attempts", id);
    if (attempt === null || !attempt.isOpen) return null;
    if (paidBy !== undefined && attempt.amount !== undefined) {
      await endCharged(ctx, attempt, paidBy, attempt.amount);
    } else if (refusal !== undefined) {
      await endRefused(ctx, attempt, refusal);
    }
    return null;
  },
});

/** Takes the charges that Paylane has listed for an order, some time after `lookedAt`. */
export const found = internalMutation({
  args: { attempt: v.id("attempts"), lookedAt: v.number(), charges: v.array(listedCharge) },
  returns: v.null(),
  handler: async (ctx, { attempt: id, lookedAt, charges }) => {
    const attempt = await ctx.db.get("attempts", id);
    if (attempt === null || !attempt.isOpen) return null;
    const isComplete = lookedAt >= (attempt.sentAt ?? 0) + CERTAIN_MS;
    // What is still under way may have any key.
    if (attempt.isAdopted === true && !isComplete) return null;
    const ours = await selectCharges(ctx, attempt, charges);
    if (ours.some(({ status }) => status === "pending")) return null;

    const paid = ours.filter(({ status }) => status === "succeeded");
    if (paid.length > 0) {
      for (const [index, { id: paidBy, amount }] of paid.entries()) {
        if (index === 0) await endCharged(ctx, attempt, paidBy, amount);
        else await giveBack(ctx, { order: attempt.order, charge: paidBy, amount });
      }
      return null;
    }
    if (ours.length > 0) {
      const reason = ours.find((listed) => listed.reason !== undefined)?.reason;
      await endRefused(ctx, attempt, reason ?? "The card was refused.");
      return null;
    }
    if (!isComplete) return null;
    const order = await ctx.db.get("orders", attempt.order);
    const mayRequest = order?.state === "charging" && attempt.isAdopted === true;
    if (mayRequest && Date.now() <= attempt.askedAt + REQUEST_MS) {
      // Nothing was requested before there was an attempt: from now on it is one like all others.
      await ctx.db.patch("attempts", id, { isAdopted: undefined, nextAt: Date.now() });
      return null;
    }
    await endRefused(ctx, attempt, UNREACHABLE);
    return null;
  },
});

/** Returns those of an order's charges that belong to an attempt. */
async function selectCharges(
  ctx: MutationCtx,
  attempt: Doc<"attempts">,
  charges: Infer<typeof listedCharge>[],
): Promise<Infer<typeof listedCharge>[]> {
  if (attempt.isAdopted !== true) return charges.filter(({ key }) => key === attempt._id);
  const refunds = await ctx.db
    .query("refunds")
    .withIndex("by_order", (q) => q.eq("order", attempt.order))
    .take(100);
  const givenBack = new Set(refunds.map((refund) => refund.charge));
  return charges.filter(({ id }) => !givenBack.has(id));
}

/** Begins whatever is due, called by a cron. */
export const tryDue = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const missed = await ctx.db
      .query("orders")
      .withIndex("by_state_and_attempt", (q) => q.eq("state", "charging").eq("attempt", undefined))
      .take(BATCH);
    for (const order of missed) await adopt(ctx, order);
    const now = Date.now();
    const due = await ctx.db
      .query("attempts")
      .withIndex("by_open_and_next", (q) => q.eq("isOpen", true).lte("nextAt", now))
      .take(BATCH);
    for (const { _id, order } of due) {
      await ctx.db.patch("attempts", _id, { nextAt: now + LOOK_MS });
      await ctx.scheduler.runAfter(0, internal.payments.charges.charge, { order });
    }
    if (missed.length === BATCH || due.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.payments.charges.tryDue, {});
    }
    return null;
  },
});
