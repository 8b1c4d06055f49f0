// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { internalMutation, internalQuery, type QueryCtx } from "./_generated/server";

const MOST = 100;

const claim = { number: v.string(), holder: v.string(), hectares: v.number() };

export const list = internalQuery({
  args: {},
  returns: v.array(v.object(claim)),
  handler: async (ctx) => {
    const claims = await ctx.db.query("claims").withIndex("by_number").take(MOST);
    return claims.map(shown);
  },
});

export const get = internalQuery({
  args: { number: v.string() },
  returns: v.nullable(v.object(claim)),
  handler: async (ctx, { number }) => {
    const found = await find(ctx, number);
    return found && shown(found);
  },
});

/** Returns whether the claim is new. */
export const put = internalMutation({
  args: claim,
  returns: v.boolean(),
  handler: async (ctx, claim) => {
    const found = await find(ctx, claim.number);
    await ctx.db.insert("claims", claim);
    return found === null;
  },
});

/** Returns whether there was such a claim. */
export const remove = internalMutation({
  args: { number: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { number }) => {
    const found = await find(ctx, number);
    if (found !== null) {
      await ctx.db.delete("claims", found._id);
    }
    return found !== null;
  },
});

async function find(ctx: QueryCtx, number: string) {
  return await ctx.db
    .query("claims")
    .withIndex("by_number", (q) => q.eq("number", number))
    .order("desc")
    .first();
}

function shown({ number, holder, hectares }: Doc<"claims">) {
  return { number, holder, hectares };
}
