// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "../_generated/server";
import { memberActor, record } from "../lib/audit";
import { requireMember } from "../lib/members";
import { enterCustomer } from "./enter";

export const add = mutation({
  args: { name: v.string(), email: v.string(), phone: v.optional(v.string()) },
  returns: v.id("customers"),
  handler: async (ctx, args) => {
    const member = await requireMember(ctx);
    return await enterCustomer(ctx, memberActor(member._id), args);
  },
});

/** Change what is given; an empty phone number takes it away. */
export const update = mutation({
  args: {
    customer: v.id("customers"),
    name: v.optional(v.string()),
    phone: v.optional(v.string()),
  },
  returns: v.null(),
  handler: async (ctx, { customer, phone, ...given }) => {
    const member = await requireMember(ctx);
    const before = await ctx.db.get("customers", customer);
    await ctx.db.patch(
      "customers",
      customer,
      phone === undefined ? given : { ...given, phone: phone === "" ? undefined : phone },
    );
    const after = await ctx.db.get("customers", customer);
    await record(ctx, memberActor(member._id), { table: "customers", before, after });
    return null;
  },
});
