// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalAction, internalMutation, internalQuery, mutation } from "./_generated/server";
import { shareOf } from "./lib/money";
import { addToBalance } from "./model/totals";

const RATES = "https://rates.tally.test/interest/";

/** Charges a month's interest on what clients owe; accounting starts it by hand. */
export const start = mutation({
  args: { clients: v.array(v.id("clients")) },
  returns: v.null(),
  handler: async (ctx, { clients }) => {
    for (const client of new Set(clients)) {
      await ctx.scheduler.runAfter(0, internal.interest.charge, { client });
    }
    return null;
  },
});

/** Interest is on what is owed when the run begins, however long the bank takes to answer. */
export const charge = internalAction({
  args: { client: v.id("clients") },
  returns: v.null(),
  handler: async (ctx, { client }) => {
    const owed: number = await ctx.runQuery(internal.interest.owed, { client });
    if (owed <= 0) return null;
    const response = await fetch(RATES + client);
    if (response.status !== 200) return null;
    const body: unknown = await response.json();
    const basisPoints = Number((body as { basisPoints?: unknown } | null)?.basisPoints);
    if (!(basisPoints > 0)) return null;
    const amount = shareOf(owed, basisPoints);
    await ctx.runMutation(internal.interest.book, { client, amount });
    return null;
  },
});

export const owed = internalQuery({
  args: { client: v.id("clients") },
  returns: v.number(),
  handler: async (ctx, { client }) => (await ctx.db.get("clients", client))?.balance ?? 0,
});

/** Adds to what is owed by now; `balance` comes from older runs only, and is not looked at. */
export const book = internalMutation({
  args: { client: v.id("clients"), amount: v.number(), balance: v.optional(v.number()) },
  returns: v.null(),
  handler: async (ctx, { client, amount }) => {
    await ctx.db.insert("charges", { client, text: "Interest", amount });
    await addToBalance(ctx, client, amount);
    return null;
  },
});
