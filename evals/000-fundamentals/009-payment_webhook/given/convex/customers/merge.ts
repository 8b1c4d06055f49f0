// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation } from "../_generated/server";
import { requireStaff } from "../lib/auth";

/** Merge a customer who was entered twice into the other one. */
export const merge = mutation({
  args: { from: v.id("customers"), into: v.id("customers") },
  returns: v.null(),
  handler: async (ctx, { from, into }) => {
    await requireStaff(ctx);
    const source = await ctx.db.get("customers", from);
    const target = await ctx.db.get("customers", into);
    if (source === null || target === null || from === into) {
      throw new ConvexError({ code: "not_found" });
    }
    const invoices = await ctx.db
      .query("invoices")
      .withIndex("by_customer", (q) => q.eq("customer", from))
      .take(2000);
    for (const invoice of invoices) {
      await ctx.db.patch("invoices", invoice._id, { customer: into });
    }
    await ctx.db.patch("customers", into, {
      openCents: target.openCents + source.openCents,
      creditCents: target.creditCents + source.creditCents,
    });
    const aliases = await ctx.db
      .query("aliases")
      .withIndex("by_customer", (q) => q.eq("customer", from))
      .take(100);
    for (const alias of aliases) {
      await ctx.db.patch("aliases", alias._id, { customer: into });
    }
    await ctx.db.insert("aliases", { former: from, customer: into });
    await ctx.db.delete("customers", from);
    return null;
  },
});
