// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";

import { internal } from "./_generated/api";
import { action, internalMutation, query, type ActionCtx } from "./_generated/server";
import schema from "./schema";

const MILL = new URL("https://mill.example/flours/");

export const latest = query({
  args: {},
  handler: (ctx) => ctx.db.query("prices").withIndex("by_creation_time").order("desc").take(5),
});

export const keep = internalMutation({
  args: { price: schema.tables.prices.validator },
  returns: v.number(),
  handler: async (ctx, { price }) => {
    await ctx.db.insert("prices", price);
    return price.total;
  },
});

export const ask = action({
  args: { grain: v.string(), kilos: v.float64() },
  returns: v.number(),
  handler: askMill,
});

async function askMill(ctx: ActionCtx, args: { grain: string; kilos: number }): Promise<number> {
  if (!(args.kilos > 0)) throw new ConvexError("Ask for more than nothing.");
  const reply = await fetch(new URL(encodeURIComponent(args.grain), MILL), { method: "GET" }).catch(
    () => null,
  );
  if (reply?.status === 404) throw new ConvexError("The mill does not grind this.");
  const body: unknown = reply?.ok ? await reply.json().catch(() => null) : null;
  const perKilo = (body as { perKilo?: unknown } | null)?.perKilo;
  if (typeof perKilo !== "number") throw new ConvexError("The mill does not answer.");
  const price = { ...args, total: perKilo * args.kilos };
  return await ctx.runMutation(internal.prices.keep, { price });
}
