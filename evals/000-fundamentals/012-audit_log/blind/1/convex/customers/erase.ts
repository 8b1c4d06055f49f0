// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "../_generated/server";
import { logChange, memberActor, scrub } from "../audit/log";
import { ERASED } from "../lib/erased";
import { fail } from "../lib/errors";
import { requireAdmin } from "../lib/members";

/**
 * Erase a customer who asks for it, as the law demands. The documents stay, for our statistics;
 * but nothing that we keep tells any more who they were, how they were reached, or what they wrote.
 */
export const run = mutation({
  args: { customer: v.id("customers") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const actor = memberActor(await requireAdmin(ctx));
    const customer = await ctx.db.get("customers", args.customer);
    if (customer === null || customer.erasedAt !== undefined) {
      throw fail("not_found");
    }
    await scrub(ctx, customer._id);
    const tickets = await ctx.db
      .query("tickets")
      .withIndex("by_customer", (q) => q.eq("customer", customer._id))
      .take(1000);
    for (const { _id } of tickets) {
      const erase = () => ctx.db.patch("tickets", _id, { subject: ERASED, text: ERASED });
      await logChange(ctx, actor, "tickets", _id, erase, { erases: true });
    }
    const erase = () =>
      ctx.db.replace("customers", customer._id, {
        name: ERASED,
        email: `${customer._id}@erased`,
        erasedAt: Date.now(),
      });
    await logChange(ctx, actor, "customers", customer._id, erase, { erases: true });
    return null;
  },
});
