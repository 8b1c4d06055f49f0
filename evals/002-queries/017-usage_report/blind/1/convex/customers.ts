// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { RESTORABLE_FOR } from "./constants";
import { requireZone } from "./model/days";
import { requireCustomer, requireStaff } from "./model/viewer";

export const register = mutation({
  args: { zone: v.string() },
  returns: v.id("customers"),
  handler: async (ctx, { zone }) => {
    const identity = await ctx.auth.getUserIdentity();
    if (identity === null) throw new ConvexError("not signed in");
    const token = identity.tokenIdentifier;
    const own = ctx.db.query("customers").withIndex("by_token", (q) => q.eq("token", token));
    if ((await own.first()) !== null) throw new ConvexError("registered already");
    await requireZone(ctx, zone);
    return await ctx.db.insert("customers", { token, zone });
  },
});

export const me = query({
  args: {},
  handler: async (ctx) => {
    const { zone } = await requireCustomer(ctx);
    return { zone };
  },
});

/** All days are those of the new zone, also past ones. */
export const setZone = mutation({
  args: { zone: v.string() },
  returns: v.null(),
  handler: async (ctx, { zone }) => {
    const customer = await requireCustomer(ctx);
    await requireZone(ctx, zone);
    await ctx.db.patch("customers", customer._id, { zone });
    return null;
  },
});

/** Thirty days later the nightly job deletes whatever has to do with the customer. */
export const remove = mutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const customer = await requireCustomer(ctx);
    await ctx.db.patch("customers", customer._id, { removedAt: Date.now() });
    return null;
  },
});

export const restore = mutation({
  args: { customer: v.id("customers") },
  returns: v.null(),
  handler: async (ctx, { customer: id }) => {
    await requireStaff(ctx);
    const customer = await ctx.db.get("customers", id);
    if (customer?.removedAt === undefined || customer.removedAt < Date.now() - RESTORABLE_FOR)
      throw new ConvexError("not removed");
    await ctx.db.patch("customers", id, { removedAt: undefined });
    return null;
  },
});
