// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalAction, internalMutation } from "../_generated/server";
import { endAttempt, receiveCharge, watchOldCharges } from "../model/attempts";
import { chargeOutcome, listCharges, requestCharge } from "./paylane";

/*
 * An attempt to charge has turns (`next`, `take`). In each it requests its charge, always with the same
 * key and the same body, and if there is no final answer it looks at Paylane's list. After CHARGE_FOR,
 * or when its order is no longer charging, it only looks.
 */

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** How long after the customer asked a charge is requested. */
const CHARGE_FOR = 46 * MINUTE;

/** Who has not sent a request by then does not send it: its moment is on record. */
const SEND_WITHIN = MINUTE;

/** Paylane says two minutes; to it comes SEND_WITHIN, and one minute for clocks that differ. */
const UNLISTED_AFTER = 2 * MINUTE + SEND_WITHIN + MINUTE;

const UNREACHABLE = "The payment service cannot be reached.";

/** The pause between turns: short in the beginning, and when an hour is nearly over. */
function pauseAfter(age: number): number {
  if (age < 5 * MINUTE) return MINUTE;
  if (age < 40 * MINUTE) return 5 * MINUTE;
  if (age < 75 * MINUTE) return MINUTE;
  return 3 * MINUTE;
}

/** Gives an attempt its turn, if it is due, and sees to the one that follows. */
export const next = internalMutation({
  args: { attempt: v.id("attempts") },
  returns: v.null(),
  handler: async (ctx, { attempt: id }) => {
    const attempt = await ctx.db.get("attempts", id);
    const now = Date.now();
    if (attempt === null || attempt.nextAt === undefined) return null;
    if (attempt.nextAt > now + SECOND) return null;
    const nextAt = now + pauseAfter(now - attempt.askedAt);
    await ctx.db.patch("attempts", id, { nextAt });
    await ctx.scheduler.runAfter(0, internal.payments.charges.take, { attempt: id });
    await ctx.scheduler.runAt(nextAt, internal.payments.charges.next, { attempt: id });
    return null;
  },
});

/** The turn of an attempt. What goes wrong in it is left to the next one. */
export const take = internalAction({
  args: { attempt: v.id("attempts") },
  returns: v.null(),
  handler: async (ctx, { attempt }): Promise<null> => {
    const turn = await ctx.runMutation(internal.payments.charges.begin, { attempt });
    if (turn === null) return null;
    const { reference, request, begunAt } = turn;
    if (request !== null && Date.now() - begunAt < SEND_WITHIN) {
      try {
        const outcome = await requestCharge({ ...request, reference }, attempt);
        await ctx.runMutation(internal.payments.charges.note, {
          attempt,
          askedAt: begunAt,
          outcomes: [outcome],
        });
        return null;
      } catch (error) {
        console.error("Paylane", reference, error);
      }
    }
    try {
      const askedAt = Date.now();
      const outcomes = await listCharges(reference);
      await ctx.runMutation(internal.payments.charges.note, { attempt, askedAt, outcomes });
    } catch (error) {
      console.error("Paylane", reference, error);
    }
    return null;
  },
});

/** Tells what to ask in a turn, and puts on record that a charge is requested now. */
export const begin = internalMutation({
  args: { attempt: v.id("attempts") },
  returns: v.nullable(
    v.object({
      reference: v.string(),
      request: v.nullable(v.object({ amount: v.number(), card: v.string() })),
      begunAt: v.number(),
    }),
  ),
  handler: async (ctx, { attempt: id }) => {
    const attempt = await ctx.db.get("attempts", id);
    if (attempt === null || attempt.nextAt === undefined) return null;
    const order = await ctx.db.get("orders", attempt.order);
    if (order === null) {
      await endAttempt(ctx, attempt, UNREACHABLE);
      return null;
    }
    const now = Date.now();
    const reference = order.number;
    if (
      !attempt.isOld &&
      order.state === "charging" &&
      order.attempt === id &&
      now - attempt.askedAt < CHARGE_FOR
    ) {
      const request = { amount: attempt.amount ?? order.total, card: attempt.card ?? order.card };
      await ctx.db.patch("attempts", id, { ...request, sentAt: now });
      return { reference, request, begunAt: now };
    }
    if (attempt.sentAt === undefined) {
      // Nothing was requested, and nothing will be.
      await endAttempt(ctx, attempt, UNREACHABLE);
      return null;
    }
    return { reference, request: null, begunAt: now };
  },
});

/** Takes note of what Paylane tells about charges of an order. It was asked at `askedAt`. */
export const note = internalMutation({
  args: {
    attempt: v.id("attempts"),
    askedAt: v.number(),
    outcomes: v.array(chargeOutcome),
  },
  returns: v.null(),
  handler: async (ctx, { attempt: id, askedAt, outcomes }) => {
    const attempt = await ctx.db.get("attempts", id);
    if (attempt === null) return null;
    const own = outcomes.filter(({ key }) =>
      attempt.isOld ? ctx.db.normalizeId("attempts", key) === null : key === id,
    );
    let refusal = UNREACHABLE;
    let isPending = false;
    for (const outcome of own) {
      if (outcome.status === "succeeded") {
        await receiveCharge(ctx, attempt.order, outcome.id, outcome.amount);
      } else if (outcome.status === "refused") {
        refusal = outcome.reason;
      } else {
        isPending = true;
      }
    }
    if (isPending || attempt.nextAt === undefined) return null;
    // One request has one outcome. Of old requests there may be several, and some not listed yet.
    const isListed = !attempt.isOld && own.length > 0;
    const isLost = askedAt - (attempt.sentAt ?? attempt.askedAt) >= UNLISTED_AFTER;
    if (isListed || isLost) await endAttempt(ctx, attempt, refusal);
    return null;
  },
});

/** Orders were charged by this before there were attempts. It may still be scheduled. */
export const charge = internalAction({
  args: { order: v.id("orders") },
  returns: v.null(),
  handler: async (ctx, { order }): Promise<null> => {
    await ctx.runMutation(internal.payments.charges.finish, { order });
    return null;
  },
});

/**
 * The old `charge` ends with this, also one that still runs when we deploy. What it has heard is not all
 * that there may be, so that we ask Paylane.
 */
export const finish = internalMutation({
  args: {
    order: v.id("orders"),
    charge: v.optional(v.string()),
    refusal: v.optional(v.string()),
  },
  returns: v.null(),
  handler: async (ctx, { order: id, charge: paidBy }) => {
    const order = await ctx.db.get("orders", id);
    if (order === null) return null;
    const isUnwatched = order.state === "charging" && order.attempt === undefined;
    const isUnknown = paidBy !== undefined && paidBy !== order.charge;
    if (isUnwatched || isUnknown) await watchOldCharges(ctx, order);
    return null;
  },
});
