// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { countFree, settleLine } from "./model/places";
import { refuse, requirePerson, requireRole } from "./model/session";

export const open = mutation({
  args: { name: v.string(), places: v.number(), fee: v.number() },
  returns: v.id("zones"),
  handler: async (ctx, zone) => {
    await requireRole(ctx, "staff");
    return await ctx.db.insert("zones", zone);
  },
});

export const change = mutation({
  args: { zone: v.id("zones"), places: v.number(), fee: v.number() },
  returns: v.null(),
  handler: async (ctx, { zone, places, fee }) => {
    await requireRole(ctx, "staff");
    if ((await ctx.db.get("zones", zone)) === null) refuse("not found");
    await ctx.db.patch("zones", zone, { places, fee });
    await settleLine(ctx, zone, Date.now());
    return null;
  },
});

/** All zones, in no certain order. */
export const list = query({
  args: {},
  returns: v.array(
    v.object({ id: v.id("zones"), name: v.string(), fee: v.number(), free: v.number() }),
  ),
  handler: async (ctx) => {
    await requirePerson(ctx);
    const zones = await ctx.db.query("zones").collect();
    return await Promise.all(
      zones.map(async (zone) => ({
        id: zone._id,
        name: zone.name,
        fee: zone.fee,
        free: await countFree(ctx, zone, Date.now()),
      })),
    );
  },
});
