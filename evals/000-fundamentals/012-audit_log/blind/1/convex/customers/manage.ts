// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "../_generated/server";
import { logChange, memberActor } from "../audit/log";
import { requireMember } from "../lib/members";
import { enterCustomer } from "./enter";

export const add = mutation({
  args: { name: v.string(), email: v.string(), phone: v.optional(v.string()) },
  returns: v.id("customers"),
  handler: async (ctx, args) => {
    const actor = memberActor(await requireMember(ctx));
    return await enterCustomer(ctx, args, actor);
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
    const actor = memberActor(await requireMember(ctx));
    await logChange(ctx, actor, "customers", customer, async () => {
      await ctx.db.patch("customers", customer, given);
      if (phone !== undefined) {
        await ctx.db.patch("customers", customer, { phone: phone === "" ? undefined : phone });
      }
    });
    return null;
  },
});
