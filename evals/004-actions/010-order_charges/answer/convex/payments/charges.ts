// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import { internal } from "../_generated/api";
import { internalAction, internalMutation } from "../_generated/server";
import { addPoints, sendReceipt } from "../model/rewards";
import { releaseGoods } from "../model/stock";
import { addTakings } from "../model/takings";
import { listCharges, requestCharge } from "./paylane";
import { createRefund } from "./refunding";

/** For so long after the customer has asked a charge is requested; later Paylane is only asked. */
const CHARGING_MS = 50 * 60 * 1000;
/** After this time a request that is not listed will not be carried out. */
const LISTED_MS = 2 * 60 * 1000;

const step = v.union(
  v.object({
    kind: v.literal("charge"),
    attempt: v.id("attempts"),
    key: v.string(),
    request: v.object({ amount: v.number(), card: v.string(), reference: v.string() }),
  }),
  v.object({
    kind: v.literal("look"),
    attempt: v.id("attempts"),
    key: v.optional(v.string()),
    reference: v.string(),
    isListed: v.boolean(),
  }),
);

/** Goes one step on with the attempt of an order. May run at any time, also twice at once. */
export const charge = internalAction({
  args: { order: v.id("orders") },
  returns: v.null(),
  handler: async (ctx, { order }) => {
    const next: Infer<typeof step> | null = await ctx.runMutation(
      internal.payments.charges.takeStep,
      { order },
    );
    if (next === null) return null;
    const { attempt } = next;
    if (next.kind === "charge") {
      const reply = await requestCharge(next.request, next.key);
      await ctx.runMutation(internal.payments.charges.finish, { attempt, ...reply });
      return null;
    }
    const charges = (await listCharges(next.reference)).filter(
      ({ key }) => next.key === undefined || key === next.key,
    );
    const paid = charges.find(({ status }) => status === "succeeded");
    if (paid !== undefined) {
      const { id, amount } = paid;
      await ctx.runMutation(internal.payments.charges.finish, { attempt, charge: id, amount });
    } else if (charges.every(({ status }) => status === "refused") && next.isListed) {
      const refusal = charges[0]?.reason ?? "The payment service could not be reached.";
      await ctx.runMutation(internal.payments.charges.finish, { attempt, refusal });
    }
    return null;
  },
});

export const takeStep = internalMutation({
  args: { order: v.id("orders") },
  returns: v.nullable(step),
  handler: async (ctx, { order: id }) => {
    const order = await ctx.db.get("orders", id);
    if (order?.attempt === undefined) return null;
    const attempt = await ctx.db.get("attempts", order.attempt);
    if (!attempt?.open) return null;
    const now = Date.now();
    const { key, amount, card } = attempt;
    if (
      key !== undefined &&
      order.state === "charging" &&
      now < attempt.askedAt + CHARGING_MS
    ) {
      await ctx.db.patch("attempts", attempt._id, { sentAt: now });
      const request = { amount, card, reference: order.number };
      return { kind: "charge" as const, attempt: attempt._id, key, request };
    }
    return {
      kind: "look" as const,
      attempt: attempt._id,
      ...(key === undefined ? {} : { key }),
      reference: order.number,
      isListed: now > attempt.sentAt + LISTED_MS,
    };
  },
});

/** Keeps how an attempt has ended. What comes later is the same answer again. */
export const finish = internalMutation({
  args: {
    attempt: v.id("attempts"),
    charge: v.optional(v.string()),
    amount: v.optional(v.number()),
    refusal: v.optional(v.string()),
  },
  returns: v.null(),
  handler: async (ctx, { attempt: id, charge: paidBy, amount: charged, refusal }) => {
    const attempt = await ctx.db.get("attempts", id);
    if (!attempt?.open) return null;
    await ctx.db.patch("attempts", id, { open: false });
    const order = await ctx.db.get("orders", attempt.order);
    if (order === null) return null;
    if (paidBy === undefined) {
      if (order.state !== "charging") return null;
      await releaseGoods(ctx, order.lines);
      await ctx.db.patch("orders", order._id, { state: "refused", refusal });
      return null;
    }
    const amount = charged ?? attempt.amount;
    if (order.state === "cancelled") {
      await createRefund(ctx, order._id, paidBy, amount);
      return null;
    }
    await ctx.db.patch("orders", order._id, { state: "paid", charge: paidBy, total: amount });
    await addTakings(ctx, amount);
    const customer = await ctx.db.get("customers", order.customer);
    if (customer !== null) {
      await addPoints(ctx, customer, amount);
      await sendReceipt(ctx, customer, order.number, amount);
    }
    return null;
  },
});
