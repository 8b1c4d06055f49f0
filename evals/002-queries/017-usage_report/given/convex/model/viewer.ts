// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

/** The customer whose key is used; nobody while the customer is removed. */
export async function requireCustomer(ctx: QueryCtx): Promise<Doc<"customers">> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) throw new ConvexError("not signed in");
  const customer = await ctx.db
    .query("customers")
    .withIndex("by_token", (q) => q.eq("token", identity.tokenIdentifier))
    .unique();
  if (customer === null || customer.removedAt !== undefined)
    throw new ConvexError("no such customer");
  return customer;
}

export async function requireStaff(ctx: QueryCtx) {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) throw new ConvexError("not signed in");
  if (identity.role !== "staff") throw new ConvexError("not allowed");
}

export function findMeter(ctx: QueryCtx, customer: Id<"customers">, name: string) {
  return ctx.db
    .query("meters")
    .withIndex("by_customer", (q) => q.eq("customer", customer).eq("name", name))
    .unique();
}

export async function requireMeter(ctx: QueryCtx, customer: Id<"customers">, name: string) {
  const meter = await findMeter(ctx, customer, name);
  if (meter === null) throw new ConvexError("no such meter");
  return meter;
}
