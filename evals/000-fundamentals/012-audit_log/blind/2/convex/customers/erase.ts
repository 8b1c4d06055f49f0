// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import { internalMutation, mutation, type MutationCtx } from "../_generated/server";
import { ERASED, erasedChanges, memberActor, patchTicket, record } from "../lib/audit";
import { fail } from "../lib/errors";
import { requireAdmin } from "../lib/members";

/** What one transaction reads of the log at most. */
const MOST_ENTRIES = 1000;
const MOST_BYTES = 3_000_000;

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
      await patchTicket(ctx, actor, ticket._id, { subject: ERASED, text: ERASED }, true);
    }
    await ctx.db.replace("customers", customer._id, {
      name: ERASED,
      email: `${customer._id}@erased`,
      erasedAt: Date.now(),
    });
    const after = await ctx.db.get("customers", customer._id);
    await record(ctx, actor, { table: "customers", before: customer, after }, true);
    await eraseEntries(ctx, customer._id);
    return null;
  },
});

/** Go on where the log told more about a customer than one transaction can erase. */
export const goOn = internalMutation({
  args: { customer: v.id("customers") },
  returns: v.null(),
  handler: async (ctx, { customer }) => {
    await eraseEntries(ctx, customer);
    return null;
  },
});

/** Erase what the log tells about a customer and their tickets, also those that are deleted. */
async function eraseEntries(ctx: MutationCtx, customer: Id<"customers">): Promise<void> {
  const erased: { id: Id<"audit">; changes: Doc<"audit">["changes"] }[] = [];
  let bytes = 0;
  let isDone = true;
  const entries = ctx.db
    .query("audit")
    .withIndex("by_customer_and_isErased", (q) =>
      q.eq("customer", customer).eq("isErased", undefined),
    );
  for await (const entry of entries) {
    erased.push({ id: entry._id, changes: erasedChanges(entry) });
    bytes += JSON.stringify(entry).length;
    if (erased.length === MOST_ENTRIES || bytes >= MOST_BYTES) {
      isDone = false;
      break;
    }
  }
  for (const { id, changes } of erased) {
    await ctx.db.patch("audit", id, { changes, isErased: true });
  }
  if (!isDone) {
    await ctx.scheduler.runAfter(0, internal.customers.erase.goOn, { customer });
  }
}
