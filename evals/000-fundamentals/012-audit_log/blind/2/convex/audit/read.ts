// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { query } from "../_generated/server";
import { requireAdmin } from "../lib/members";
import { auditEntry } from "../schema";

/** What happened to a document, the newest first. */
export const list = query({
  args: { document: v.string(), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(v.object(auditEntry)),
  handler: async (ctx, { document, paginationOpts }) => {
    await requireAdmin(ctx);
    const result = await ctx.db
      .query("audit")
      .withIndex("by_document", (q) => q.eq("document", document))
      .order("desc")
      .paginate(paginationOpts);
    return {
      ...result,
      page: result.page.map((entry) => ({
        at: entry.at,
        actor: entry.actor,
        kind: entry.kind,
        table: entry.table,
        document: entry.document,
        changes: entry.changes,
      })),
    };
  },
});
