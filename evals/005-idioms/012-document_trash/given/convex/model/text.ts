// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";

export function countWords(body: string): number {
  return body.split(/\s+/).filter((word) => word !== "").length;
}

function findAll(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? ""))];
}

/** The names after an @. */
export function mentionsIn(text: string): string[] {
  return findAll(text, /@(\w+)/g);
}

/** Keeps the [[references]] of a document's body. */
export async function keepReferences(ctx: MutationCtx, document: Doc<"documents">, body: string) {
  await dropReferences(ctx, document._id);
  for (const slug of findAll(body, /\[\[([a-z0-9-]+)\]\]/g))
    await ctx.db.insert("references", {
      workspace: document.workspace,
      from: document._id,
      slug,
    });
}

export async function dropReferences(ctx: MutationCtx, from: Id<"documents">) {
  const rows = ctx.db.query("references").withIndex("by_from", (q) => q.eq("from", from));
  for (const row of await rows.collect()) await ctx.db.delete("references", row._id);
}
