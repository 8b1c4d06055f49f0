// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";

export const create = mutation({
  args: { name: v.string() },
  returns: v.id("clients"),
  handler: async (ctx, { name }) =>
    await ctx.db.insert("clients", { name, balance: 0, stats: { minutes: 0, lastDay: null } }),
});

export const get = query({
  args: { client: v.id("clients") },
  returns: v.union(
    v.null(),
    v.object({
      name: v.string(),
      balance: v.number(),
      minutes: v.number(),
      lastDay: v.union(v.string(), v.null()),
    }),
  ),
  handler: async (ctx, args) => {
    const client = await ctx.db.get("clients", args.client);
    return client && { name: client.name, balance: client.balance, ...client.stats };
  },
});

/** The months of a year, the earliest first. */
export const year = query({
  args: { client: v.id("clients"), year: v.string() },
  returns: v.array(
    v.object({ month: v.string(), minutes: v.number(), billed: v.number(), paid: v.number() }),
  ),
  handler: async (ctx, { client, year }) => {
    const months = await ctx.db
      .query("months")
      .withIndex("by_client_and_month", (q) =>
        q.eq("client", client).gte("month", `${year}-`).lt("month", `${year}.`),
      )
      .collect();
    return months.map(({ month, minutes, billed, paid }) => ({ month, minutes, billed, paid }));
  },
});
