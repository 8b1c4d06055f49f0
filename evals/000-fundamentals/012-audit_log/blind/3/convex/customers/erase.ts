// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import type { Id } from "../_generated/dataModel";
import { internalMutation, mutation, type MutationCtx } from "../_generated/server";
import { eraseEntries, memberActor, recordErasure } from "../lib/audit";
import { fail } from "../lib/errors";
import { requireAdmin } from "../lib/members";
import { ERASED } from "../lib/personal";

/** The most entries of the audit log that one transaction erases. */
const ENTRIES = 200;

/**
 * Erase a customer who asks for it, as the law demands. The documents stay, for our statistics;
 * but nothing that we keep tells any more who they were, how they were reached, or what they wrote.
 */
export const run = mutation({
  args: { customer: v.id("customers") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const actor = memberActor((await requireAdmin(ctx))._id);
    const customer = await ctx.db.get("customers", args.customer);
    if (customer === null || customer.erasedAt !== undefined) {
      throw fail("not_found");
    }
    const tickets = await ctx.db
      .query("tickets")
      .withIndex("by_customer", (q) => q.eq("customer", customer._id))
      .take(1000);
    for (const ticket of tickets) {
      await ctx.db.patch("tickets", ticket._id, { subject: ERASED, text: ERASED });
      const after = await ctx.db.get("tickets", ticket._id);
      await recordErasure(ctx, actor, "tickets", ticket, after);
    }
    await ctx.db.replace("customers", customer._id, {
      name: ERASED,
      email: `${customer._id}@erased`,
      erasedAt: Date.now(),
    });
    const after = await ctx.db.get("customers", customer._id);
    await recordErasure(ctx, actor, "customers", customer, after);
    await eraseLog(ctx, customer._id);
    return null;
  },
});

/** Erase a customer from the rest of a long audit log. */
export const goOn = internalMutation({
  args: { customer: v.id("customers") },
  returns: v.null(),
  handler: async (ctx, { customer }) => {
    await eraseLog(ctx, customer);
    return null;
  },
});

async function eraseLog(ctx: MutationCtx, customer: Id<"customers">): Promise<void> {
  if ((await eraseEntries(ctx, customer, ENTRIES)) === ENTRIES) {
    await ctx.scheduler.runAfter(0, internal.customers.erase.goOn, { customer });
  }
}
