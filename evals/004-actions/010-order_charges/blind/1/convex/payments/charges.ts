// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalAction, internalMutation } from "../_generated/server";
import { adopt, afterLook, afterPost, LISTED_MS, POST_MS, settle } from "../model/asks";
import { listCharges, requestCharge } from "./paylane";

const UNREACHABLE = "The payment service cannot be reached.";
const REFUSED = "The card was refused.";

const step = v.union(
  v.null(),
  v.object({
    kind: v.literal("post"),
    ask: v.id("asks"),
    key: v.string(),
    request: v.object({ amount: v.number(), card: v.string(), reference: v.string() }),
  }),
  v.object({
    kind: v.literal("look"),
    ask: v.id("asks"),
    key: v.nullable(v.string()),
    reference: v.string(),
  }),
);

/** Requests the charge of an order, or looks how it ended. While that is not known, nothing changes. */
export const charge = internalAction({
  args: { order: v.id("orders") },
  returns: v.null(),
  handler: async (ctx, { order }): Promise<null> => {
    const next = await ctx.runMutation(internal.payments.charges.prepare, { order });
    if (next === null) return null;
    const { ask } = next;
    try {
      if (next.kind === "post") {
        const reply = await requestCharge(next.request, next.key);
        const charges =
          "charge" in reply ? [{ id: reply.charge, amount: next.request.amount }] : [];
        const refusal = "refusal" in reply ? reply.refusal : REFUSED;
        await ctx.runMutation(internal.payments.charges.finishAsk, { ask, charges, refusal });
      } else {
        const lookedAt = Date.now();
        const { key } = next;
        const listed = (await listCharges(next.reference)).filter(
          (each) => key === null || each.key === key,
        );
        const charges = listed
          .filter(({ status }) => status === "succeeded")
          .map(({ id, amount }) => ({ id, amount }));
        const refused = listed.filter(({ status }) => status === "refused");
        await ctx.runMutation(internal.payments.charges.conclude, {
          ask,
          lookedAt,
          charges,
          isPending: listed.length > charges.length + refused.length,
          refusals: refused.map(({ reason }) => reason ?? REFUSED),
        });
      }
    } catch (error) {
      console.error("Paylane", order, error);
    }
    return null;
  },
});

/** Decides what is to be done about an order's charge now, and writes down that it is done. */
export const prepare = internalMutation({
  args: { order: v.id("orders") },
  returns: step,
  handler: async (ctx, { order: id }) => {
    const order = await ctx.db.get("orders", id);
    if (order === null) return null;
    if (order.ask === undefined) {
      if (order.state === "charging") await adopt(ctx, order);
      return null;
    }
    const ask = await ctx.db.get("asks", order.ask);
    if (ask === null || !ask.isOpen) return null;
    const now = Date.now();
    const { key } = ask;
    if (key !== undefined && order.state === "charging" && now <= ask.askedAt + POST_MS) {
      // All requests with a key have the same body: a discount that comes later does not change it.
      const amount = ask.amount ?? order.total;
      await ctx.db.patch("asks", ask._id, { amount, sentAt: now, nextAt: afterPost(now) });
      const request = { amount, card: ask.card, reference: order.number };
      return { kind: "post" as const, ask: ask._id, key, request };
    }
    if (ask.sentAt === undefined) {
      await settle(ctx, ask._id, [], UNREACHABLE);
      return null;
    }
    // Of an order from before there were asks, all that was requested has to be listed.
    if (key === undefined && now < ask.sentAt + LISTED_MS) return null;
    await ctx.db.patch("asks", ask._id, { nextAt: afterLook(ask, now) });
    return { kind: "look" as const, ask: ask._id, key: key ?? null, reference: order.number };
  },
});

/** Ends an ask with Paylane's final answer to a request. */
export const finishAsk = internalMutation({
  args: {
    ask: v.id("asks"),
    charges: v.array(v.object({ id: v.string(), amount: v.number() })),
    refusal: v.string(),
  },
  returns: v.null(),
  handler: async (ctx, { ask, charges, refusal }) => {
    await settle(ctx, ask, charges, refusal);
    return null;
  },
});

/** Ends an ask with what Paylane lists for it, if that is certain. */
export const conclude = internalMutation({
  args: {
    ask: v.id("asks"),
    lookedAt: v.number(),
    charges: v.array(v.object({ id: v.string(), amount: v.number() })),
    isPending: v.boolean(),
    refusals: v.array(v.string()),
  },
  returns: v.null(),
  handler: async (ctx, { ask: id, lookedAt, charges, isPending, refusals }) => {
    const ask = await ctx.db.get("asks", id);
    if (ask === null || isPending) return null;
    const isListed = charges.length + refusals.length > 0;
    if (!isListed && lookedAt < (ask.sentAt ?? ask.askedAt) + LISTED_MS) return null;
    await settle(ctx, id, charges, refusals.at(-1) ?? UNREACHABLE);
    return null;
  },
});
