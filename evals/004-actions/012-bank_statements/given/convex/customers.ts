// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { requireStaff } from "./model/staff";

export const create = mutation({
  args: { name: v.string() },
  returns: v.id("customers"),
  handler: async (ctx, { name }) => {
    await requireStaff(ctx);
    return await ctx.db.insert("customers", { name, owed: 0 });
  },
});

export const rename = mutation({
  args: { customer: v.id("customers"), name: v.string() },
  returns: v.null(),
  handler: async (ctx, { customer, name }) => {
    await requireStaff(ctx);
    await ctx.db.patch("customers", customer, { name });
    return null;
  },
});

/** The bank account belongs to this customer, whoever had it before. */
export const setAccount = mutation({
  args: { customer: v.id("customers"), iban: v.string() },
  returns: v.null(),
  handler: async (ctx, { customer, iban }) => {
    await requireStaff(ctx);
    if (!/^[A-Z]{2}[0-9]{2}[0-9A-Z]{11,30}$/.test(iban)) throw new ConvexError("no_iban");
    const account = await ctx.db
      .query("accounts")
      .withIndex("by_iban", (q) => q.eq("iban", iban))
      .unique();
    if (account === null) await ctx.db.insert("accounts", { iban, customer });
    else await ctx.db.patch("accounts", account._id, { customer });
    return null;
  },
});

export const show = query({
  args: { customer: v.id("customers") },
  handler: async (ctx, { customer: id }) => {
    await requireStaff(ctx);
    const customer = await ctx.db.get("customers", id);
    if (customer === null) throw new ConvexError("not_found");
    const bookings = await ctx.db
      .query("bookings")
      .withIndex("by_customer", (q) => q.eq("customer", id))
      .order("desc")
      .take(50);
    return { name: customer.name, credit: customer.credit ?? 0, owed: customer.owed, bookings };
  },
});
