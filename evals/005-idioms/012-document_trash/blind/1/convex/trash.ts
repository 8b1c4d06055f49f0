// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, mutation, query } from "./_generated/server";
import { requireMember, requireTrashed } from "./model/access";
import { eraseTree, restoreTree } from "./model/trash";

const KEPT = 30 * 24 * 60 * 60 * 1000;
const MOST_EXPIRED = 200;

/** What was removed from a workspace, the latest first. */
export const list = query({
  args: { workspace: v.id("workspaces") },
  returns: v.array(
    v.object({ document: v.id("documents"), title: v.string(), removedAt: v.number() }),
  ),
  handler: async (ctx, { workspace }) => {
    await requireMember(ctx, workspace);
    const entries = await ctx.db
      .query("trash")
      .withIndex("by_workspace", (q) => q.eq("workspace", workspace))
      .order("desc")
      .collect();
    return entries.map(({ document, title, removedAt }) => ({ document, title, removedAt }));
  },
});

/** Brings a document back, with all that was removed with it. */
export const restore = mutation({
  args: { document: v.id("documents") },
  returns: v.null(),
  handler: async (ctx, { document }) => {
    await restoreTree(ctx, await requireTrashed(ctx, document));
    return null;
  },
});

/** Deletes a document for good, with all that was removed with it. */
export const erase = mutation({
  args: { document: v.id("documents") },
  returns: v.null(),
  handler: async (ctx, { document }) => {
    await eraseTree(ctx, await requireTrashed(ctx, document));
    return null;
  },
});

/** Lets go of what was in the trash long enough: each by itself, so that none holds up others. */
export const expire = internalMutation({
  args: { after: v.optional(v.number()) },
  returns: v.null(),
  handler: async (ctx, { after }): Promise<null> => {
    const until = Date.now() - KEPT;
    // As they are created when something is removed, the oldest come first.
    const entries = await ctx.db
      .query("trash")
      .withIndex("by_creation_time", (q) => q.gt("_creationTime", after ?? 0))
      .take(MOST_EXPIRED);
    const due = entries.filter(({ removedAt }) => removedAt <= until);
    for (const { _id } of due) await ctx.scheduler.runAfter(0, internal.trash.purge, { entry: _id });
    const last = due.at(-1);
    if (last !== undefined && due.length === MOST_EXPIRED)
      await ctx.scheduler.runAfter(0, internal.trash.expire, { after: last._creationTime });
    return null;
  },
});

/** Deletes for good what was removed together, unless it is restored or deleted by now. */
export const purge = internalMutation({
  args: { entry: v.id("trash") },
  returns: v.null(),
  handler: async (ctx, { entry: id }) => {
    const entry = await ctx.db.get("trash", id);
    if (entry !== null) await eraseTree(ctx, entry);
    return null;
  },
});
