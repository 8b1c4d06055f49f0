// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { mutation, type MutationCtx } from "./_generated/server";

async function stored(ctx: MutationCtx, boat: Id<"boats">) {
  const document = await ctx.db.get("boats", boat);
  if (document === null) {
    throw new ConvexError("There is no such boat.");
  }
  return document;
}

export const paint = mutation({
  args: { boat: v.id("boats"), colour: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { boat, colour }) => {
    const { hull } = await stored(ctx, boat);
    await ctx.db.patch("boats", boat, { hull: { ...hull, colour: colour ?? undefined } });
    return null;
  },
});

export const move = mutation({
  args: { boat: v.id("boats"), bay: v.optional(v.string()), tier: v.optional(v.number()) },
  returns: v.null(),
  handler: async (ctx, args) => {
    const { rack } = await stored(ctx, args.boat);
    const bay = args.bay ?? rack?.bay;
    const tier = args.tier ?? rack?.tier;
    if (bay === undefined || tier === undefined) {
      throw new ConvexError("A boat that lies on no rack needs a bay and a tier.");
    }
    await ctx.db.patch("boats", args.boat, { rack: { bay, tier } });
    return null;
  },
});

export const stow = mutation({
  args: { boat: v.id("boats"), thing: v.string(), count: v.number() },
  returns: v.null(),
  handler: async (ctx, { boat, thing, count }) => {
    const gear: Record<string, number> = count === 0 ? {} : { [thing]: count };
    await ctx.db.patch("boats", boat, { gear });
    return null;
  },
});

export const lend = mutation({
  args: { boat: v.id("boats"), borrower: v.string() },
  returns: v.null(),
  handler: async (ctx, { boat, borrower }) => {
    await ctx.db.patch("boats", boat, { borrower, rack: undefined });
    return null;
  },
});

export const bringBack = mutation({
  args: { boat: v.id("boats"), remark: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { boat, remark }) => {
    await ctx.db.patch("boats", boat, { borrower: undefined });
    // A remark of undefined would be removed as well.
    if (remark !== undefined) {
      await ctx.db.patch("boats", boat, { remark });
    }
    return null;
  },
});
