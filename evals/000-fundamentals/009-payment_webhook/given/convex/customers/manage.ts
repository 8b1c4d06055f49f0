// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "../_generated/server";
import { requireStaff } from "../lib/auth";

export const add = mutation({
  args: { name: v.string(), email: v.string(), plan: v.optional(v.id("plans")) },
  returns: v.id("customers"),
  handler: async (ctx, args) => {
    await requireStaff(ctx);
    return await ctx.db.insert("customers", { ...args, openCents: 0, creditCents: 0 });
  },
});

export const get = query({
  args: { customer: v.id("customers") },
  returns: v.union(
    v.null(),
    v.object({
      name: v.string(),
      email: v.string(),
      openCents: v.number(),
      creditCents: v.number(),
    }),
  ),
  handler: async (ctx, args) => {
    await requireStaff(ctx);
    const customer = await ctx.db.get("customers", args.customer);
    if (customer === null) {
      return null;
    }
    const { name, email, openCents, creditCents } = customer;
    return { name, email, openCents, creditCents };
  },
});

export const choosePlan = mutation({
  args: { customer: v.id("customers"), plan: v.union(v.null(), v.id("plans")) },
  returns: v.null(),
  handler: async (ctx, { customer, plan }) => {
    await requireStaff(ctx);
    const offered = plan === null ? null : await ctx.db.get("plans", plan);
    if (plan !== null && !offered?.isOffered) {
      throw new ConvexError({ code: "not_offered" });
    }
    await ctx.db.patch("customers", customer, { plan: plan ?? undefined });
    return null;
  },
});

/** Delete a customer who owes nothing, with their invoices. The months keep what was received. */
export const remove = mutation({
  args: { customer: v.id("customers") },
  returns: v.null(),
  handler: async (ctx, args) => {
    await requireStaff(ctx);
    const customer = await ctx.db.get("customers", args.customer);
    if (customer === null) {
      throw new ConvexError({ code: "not_found" });
    }
    if (customer.openCents !== 0 || customer.creditCents !== 0) {
      throw new ConvexError({ code: "not_settled" });
    }
    const invoices = await ctx.db
      .query("invoices")
      .withIndex("by_customer", (q) => q.eq("customer", customer._id))
      .take(2000);
    for (const invoice of invoices) {
      await ctx.db.delete("invoices", invoice._id);
    }
    await ctx.db.delete("customers", customer._id);
    return null;
  },
});
