// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, mutation, query } from "./_generated/server";
import { refuse } from "./lib/attempt";
import { requireMember } from "./lib/session";
import { checkMinutes, transfer } from "./model/ledger";

const WEEK = 7 * 24 * 60 * 60 * 1000;
const BATCH = 20;

/** Gives minutes to a member every week, for the first time in a week. */
export const add = mutation({
  args: { to: v.id("members"), minutes: v.number(), text: v.string() },
  returns: v.id("orders"),
  handler: async (ctx, { to, minutes, text }) => {
    const { _id: from } = await requireMember(ctx);
    checkMinutes(minutes);
    if (to === from) refuse("that is you");
    const nextAt = Date.now() + WEEK;
    return await ctx.db.insert("orders", { from, to, minutes, text, nextAt, failures: 0 });
  },
});

export const mine = query({
  args: {},
  handler: async (ctx) => {
    const member = await requireMember(ctx);
    const orders = await ctx.db
      .query("orders")
      .withIndex("by_from", (q) => q.eq("from", member._id))
      .collect();
    return orders.map(({ _id, text, minutes, failures }) => ({ id: _id, text, minutes, failures }));
  },
});

/** Carries out the orders that are due, in the order of their times. */
export const carryOut = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const due = await ctx.db
      .query("orders")
      .withIndex("by_next", (q) => q.lte("nextAt", Date.now()))
      .take(BATCH);
    for (const { _id, from, to, minutes, text, nextAt, failures } of due) {
      const done = await transfer(ctx, { kind: "standing", text, from, to, minutes });
      const next = { nextAt: nextAt + WEEK, failures: done.ok ? 0 : failures + 1 };
      await ctx.db.patch("orders", _id, next);
    }
    return null;
  },
});
