// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalMutation } from "../_generated/server";
import { BATCH } from "../jobs/limits";
import { HIDDEN } from "../lib/secrets";

/** The fields that tell who a customer was, or what they wrote. */
const PERSONAL = ["name", "email", "phone", "subject", "text"];

/** Take what tells of a customer who was erased out of the log, also of what was deleted since. */
export const run = internalMutation({
  args: { customer: v.string() },
  handler: async (ctx, { customer }) => {
    const entries = await ctx.db
      .query("audit")
      .withIndex("by_customer", (q) => q.eq("customer", customer))
      .take(BATCH);
    for (const entry of entries) {
      const changes = entry.changes.map((change) =>
        PERSONAL.includes(change.field)
          ? { ...change, from: hide(change.from), to: hide(change.to) }
          : change,
      );
      await ctx.db.patch("audit", entry._id, { changes, customer: undefined });
    }
    if (entries.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.audit.erase.run, { customer });
    }
  },
});

function hide(value: unknown): string | null {
  return value === null ? null : HIDDEN;
}
