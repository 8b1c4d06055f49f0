// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, query } from "./_generated/server";
import { requireRole } from "./lib/access";
import { countSeats } from "./lib/members";

/** Writes the invoice of each workspace for the month that begins, once. */
export const charge = internalMutation({
  args: {},
  handler: async (ctx) => {
    const month = new Date().toISOString().slice(0, 7);
    for await (const workspace of ctx.db.query("workspaces")) {
      const { _id } = workspace;
      const written = await ctx.db
        .query("invoices")
        .withIndex("by_workspace_and_month", (q) => q.eq("workspace", _id).eq("month", month))
        .unique();
      if (written !== null) continue;
      await ctx.db.insert("invoices", { workspace: _id, month, seats: countSeats(workspace) });
    }
  },
});

/** The invoices of the last twelve months, the newest first. */
export const invoices = query({
  args: { workspace: v.id("workspaces") },
  handler: async (ctx, { workspace }) => {
    await requireRole(ctx, workspace, "admin");
    const written = await ctx.db
      .query("invoices")
      .withIndex("by_workspace_and_month", (q) => q.eq("workspace", workspace))
      .order("desc")
      .take(12);
    return written.map(({ month, seats }) => ({ month, seats }));
  },
});
