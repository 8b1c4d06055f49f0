// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

import { internal } from "./_generated/api";
import { action, internalMutation, query } from "./_generated/server";

export const latest = query({
  args: {},
  handler: async (ctx) => {
    return await ctx.db.query("prices").order("desc").take(5);
  },
});

export const store = internalMutation({
  args: { grain: v.string(), kilos: v.number(), total: v.number() },
  handler: async (ctx, price) => {
    await ctx.db.insert("prices", price);
  },
});

export const ask = action({
  args: { grain: v.string(), kilos: v.number() },
  handler: async (ctx, { grain, kilos }): Promise<number> => {
    if (!(kilos > 0)) throw new Error("Ask for more than nothing.");
    const total = (await pricePerKilo(grain)) * kilos;
    await ctx.runMutation(internal.prices.store, { grain, kilos, total });
    return total;
  },
});

async function pricePerKilo(grain: string): Promise<number> {
  let reply: Response;
  let body: unknown;
  try {
    reply = await fetch(`https://mill.example/flours/${encodeURIComponent(grain)}`);
    body = reply.status === 200 ? await reply.json() : null;
  } catch {
    throw new Error("The mill does not answer.");
  }
  if (reply.status === 404) throw new Error("The mill does not grind this.");
  if (typeof body !== "object" || body === null || !("perKilo" in body)) {
    throw new Error("The mill does not answer.");
  }
  const { perKilo } = body;
  if (typeof perKilo !== "number") throw new Error("The mill does not answer.");
  return perKilo;
}
