// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";

import type { Id } from "./_generated/dataModel";
import { mutation, query, type QueryCtx } from "./_generated/server";
import schema from "./schema";

const parcels = v.array(
  v.object({
    ...schema.tables.parcels.validator.fields,
    _id: v.id("parcels"),
    _creationTime: v.number(),
  }),
);

function having(ctx: QueryCtx, courier?: Id<"couriers">) {
  return ctx.db
    .query("parcels")
    .withIndex("by_courier", (q) => q.eq("courier", courier))
    .take(100);
}

export const waiting = query({ args: {}, returns: parcels, handler: (ctx) => having(ctx) });

export const ofCourier = query({
  args: { courier: v.id("couriers") },
  returns: parcels,
  handler: (ctx, { courier }) => having(ctx, courier),
});

export const give = mutation({
  args: { parcel: v.id("parcels"), courier: v.id("couriers") },
  returns: v.null(),
  handler: async (ctx, { parcel, courier }) => {
    const found = await ctx.db.get("parcels", parcel);
    if (!found || found.courier) throw new ConvexError("Somebody has this already.");
    await ctx.db.patch("parcels", parcel, { courier });
    return null;
  },
});

export const deliver = mutation({
  args: { parcel: v.id("parcels") },
  returns: v.null(),
  handler: async (ctx, { parcel }) => {
    if (await ctx.db.get("parcels", parcel)) await ctx.db.delete("parcels", parcel);
    return null;
  },
});
