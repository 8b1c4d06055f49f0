// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internalMutation, mutation } from "./_generated/server";
import { DAY_MS } from "./lib/days";
import { addToBalance } from "./model/totals";

export const add = mutation({
  args: { client: v.id("clients"), text: v.string(), amount: v.number(), everyDays: v.number() },
  returns: v.id("retainers"),
  handler: async (ctx, args) => {
    if ((await ctx.db.get("clients", args.client)) === null) throw new ConvexError("no_client");
    if (!Number.isInteger(args.amount) || args.amount <= 0) throw new ConvexError("bad_amount");
    if (!Number.isInteger(args.everyDays) || args.everyDays < 1) throw new ConvexError("bad_days");
    const nextAt = Date.now() + args.everyDays * DAY_MS;
    return await ctx.db.insert("retainers", { ...args, nextAt });
  },
});

/** Charges what has fallen due; a cron calls it. The rest of a long list is done the next time. */
export const run = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const due = await ctx.db
      .query("retainers")
      .withIndex("by_next", (q) => q.lte("nextAt", Date.now()))
      .take(100);
    for (const { _id, client: id, text, amount, everyDays, nextAt } of due) {
      await ctx.db.patch("retainers", _id, { nextAt: nextAt + everyDays * DAY_MS });
      if ((await ctx.db.get("clients", id)) === null) continue;
      await ctx.db.insert("charges", { client: id, text, amount });
      await addToBalance(ctx, id, amount);
    }
    return null;
  },
});
