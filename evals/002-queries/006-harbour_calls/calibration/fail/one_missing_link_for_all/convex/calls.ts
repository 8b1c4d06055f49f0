// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { query, type QueryCtx } from "./_generated/server";

const DEFAULT_LIMIT = 10;
const MAXIMUM_LIMIT = 50;

export const arrivals = query({
  args: { harbour: v.string(), from: v.number(), limit: v.optional(v.number()) },
  handler: async (ctx, { harbour, from, limit }) => {
    const calls = await ctx.db
      .query("calls")
      .withIndex("by_harbour_and_dueAt", (q) => q.eq("harbour", harbour).gte("dueAt", from))
      .take(Math.min(limit ?? DEFAULT_LIMIT, MAXIMUM_LIMIT));
    return await Promise.all(
      calls.map(async ({ _id, dueAt, imo }) => ({
        _id,
        dueAt,
        imo,
        ship: await shipOf(ctx, imo),
      })),
    );
  },
});

async function shipOf(ctx: QueryCtx, imo: string) {
  const ship = await ctx.db
    .query("ships")
    .withIndex("by_imo", (q) => q.eq("imo", imo))
    .unique();
  return ship && { name: ship.name, owner: ship.owner ? await ownerOf(ctx, ship.owner) : null };
}

async function ownerOf(ctx: QueryCtx, id: Id<"owners">) {
  const owner = await ctx.db.get("owners", id);
  const agent = owner?.agent ? await agentOf(ctx, owner.agent) : null;
  return owner && agent && { name: owner.name, agent };
}

async function agentOf(ctx: QueryCtx, id: Id<"agents">) {
  const agent = await ctx.db.get("agents", id);
  return agent && { name: agent.name, phone: agent.phone };
}
