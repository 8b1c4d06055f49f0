// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "./_generated/server";
import schema from "./schema";

const { rack, remark } = schema.tables.boats.validator.fields;
const boat = v.id("boats");
const { bay, tier } = v.object({ bay: v.string(), tier: v.number() }).partial().fields;

export const paint = mutation({
  args: { boat, colour: v.union(v.null(), v.string()) },
  returns: v.null(),
  handler: async (ctx, args) => {
    const document = await ctx.db.get("boats", args.boat);
    if (document === null) throw new Error("gone");
    const { colour: _old, ...hull } = document.hull;
    const painted = args.colour === null ? hull : { ...hull, colour: args.colour };
    await ctx.db.patch("boats", args.boat, { hull: painted });
    return null;
  },
});

export const move = mutation({
  args: { boat, bay, tier },
  returns: v.null(),
  handler: async (ctx, { boat, ...given }) => {
    const document = await ctx.db.get("boats", boat);
    if (document === null) throw new Error("gone");
    const next = { ...document.rack, ...given };
    // What is incomplete is refused by the schema.
    await ctx.db.patch("boats", boat, { rack: next as typeof rack.type });
    return null;
  },
});

export const stow = mutation({
  args: { boat, thing: v.string(), count: v.number() },
  returns: v.null(),
  handler: async (ctx, { boat, thing, count }) => {
    const document = await ctx.db.get("boats", boat);
    if (document === null) throw new Error("gone");
    const others = Object.entries(document.gear).filter(([name]) => name !== thing);
    const gear = Object.fromEntries(count === 0 ? others : [...others, [thing, count] as const]);
    await ctx.db.patch("boats", boat, { gear });
    return null;
  },
});

export const lend = mutation({
  args: { boat, borrower: v.string() },
  returns: v.null(),
  handler: async (ctx, { boat, borrower }) => {
    await ctx.db.patch("boats", boat, { rack: undefined, borrower });
    return null;
  },
});

export const bringBack = mutation({
  args: { boat, remark },
  returns: v.null(),
  // What is left out of the arguments is not in `given`, so that patch does not see it.
  handler: async (ctx, { boat, ...given }) => {
    await ctx.db.patch("boats", boat, { ...given, borrower: undefined });
    return null;
  },
});
