// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";

const MINUTE = 60_000;

/**
 * Tells the hooks of a workspace what happened to a document, a minute later: by then most
 * people have written on, and the hook gets the title of that time.
 */
export async function tellHooks(ctx: MutationCtx, document: Doc<"documents">, kind: string) {
  const hooks = ctx.db
    .query("hooks")
    .withIndex("by_workspace", (q) => q.eq("workspace", document.workspace));
  for (const hook of await hooks.collect())
    await ctx.scheduler.runAfter(MINUTE, internal.hooks.deliver, {
      hook: hook._id,
      kind,
      document: document._id,
    });
}

/** The same for a document that will be gone by then. */
export async function tellHooksOfRemoval(ctx: MutationCtx, document: Doc<"documents">) {
  const hooks = ctx.db
    .query("hooks")
    .withIndex("by_workspace", (q) => q.eq("workspace", document.workspace));
  for (const hook of await hooks.collect())
    await ctx.scheduler.runAfter(MINUTE, internal.hooks.deliver, {
      hook: hook._id,
      kind: "document.removed",
      removed: { number: document.number, title: document.title },
    });
}

export async function addActivity(ctx: MutationCtx, document: Doc<"documents">, kind: string) {
  await ctx.db.insert("activities", {
    workspace: document.workspace,
    document: document._id,
    kind,
  });
}
