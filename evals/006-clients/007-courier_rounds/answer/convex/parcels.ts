// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";

import { mutation, query } from "./_generated/server";

export const waiting = query({
  args: {},
  handler: async (ctx) => {
    return await ctx.db
      .query("parcels")
      .withIndex("by_courier", (q) => q.eq("courier", undefined))
      .collect();
  },
});

export const ofCourier = query({
  args: { courier: v.id("couriers") },
  handler: async (ctx, { courier }) => {
    return await ctx.db
      .query("parcels")
      .withIndex("by_courier", (q) => q.eq("courier", courier))
      .collect();
  },
});

export const give = mutation({
  args: { parcel: v.id("parcels"), courier: v.id("couriers") },
  handler: async (ctx, args) => {
    const parcel = await ctx.db.get("parcels", args.parcel);
    if (parcel === null || parcel.courier !== undefined) {
      throw new ConvexError("Somebody has this already.");
    }
    await ctx.db.patch("parcels", parcel._id, { courier: args.courier });
  },
});

export const deliver = mutation({
  args: { parcel: v.id("parcels") },
  handler: async (ctx, args) => {
    const parcel = await ctx.db.get("parcels", args.parcel);
    if (parcel !== null) await ctx.db.delete("parcels", parcel._id);
  },
});
