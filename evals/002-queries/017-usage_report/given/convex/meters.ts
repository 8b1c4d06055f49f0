// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { MAX_METERS } from "./constants";
import { findMeter, requireCustomer, requireMeter } from "./model/viewer";
import { kind } from "./schema";

export const add = mutation({
  args: { name: v.string(), kind },
  returns: v.id("meters"),
  handler: async (ctx, { name, kind }) => {
    const { _id: customer } = await requireCustomer(ctx);
    if (name === "") throw new ConvexError("bad name");
    if ((await findMeter(ctx, customer, name)) !== null) throw new ConvexError("name taken");
    const meters = ctx.db.query("meters").withIndex("by_customer", (q) => q.eq("customer", customer));
    if ((await meters.collect()).length >= MAX_METERS) throw new ConvexError("too many meters");
    return await ctx.db.insert("meters", { customer, name, kind });
  },
});

export const rename = mutation({
  args: { name: v.string(), to: v.string() },
  returns: v.null(),
  handler: async (ctx, { name, to }) => {
    const { _id: customer } = await requireCustomer(ctx);
    const meter = await requireMeter(ctx, customer, name);
    if (to === "") throw new ConvexError("bad name");
    if ((await findMeter(ctx, customer, to)) !== null) throw new ConvexError("name taken");
    await ctx.db.patch("meters", meter._id, { name: to });
    return null;
  },
});

/** All days show the new kind, also past ones. */
export const setKind = mutation({
  args: { name: v.string(), kind },
  returns: v.null(),
  handler: async (ctx, { name, kind }) => {
    const { _id: customer } = await requireCustomer(ctx);
    const meter = await requireMeter(ctx, customer, name);
    await ctx.db.patch("meters", meter._id, { kind });
    return null;
  },
});

export const list = query({
  args: {},
  handler: async (ctx) => {
    const { _id: customer } = await requireCustomer(ctx);
    const meters = await ctx.db
      .query("meters")
      .withIndex("by_customer", (q) => q.eq("customer", customer))
      .collect();
    return meters.map(({ name, kind }) => ({ name, kind }));
  },
});
