// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { query } from "./_generated/server";
import { requireMember } from "./model/access";

/** The numbers on a workspace's first page. */
export const overview = query({
  args: { workspace: v.id("workspaces") },
  returns: v.object({
    draft: v.number(),
    published: v.number(),
    archived: v.number(),
    words: v.number(),
    shared: v.number(),
    longest: v.union(v.string(), v.null()),
  }),
  handler: async (ctx, { workspace }) => {
    await requireMember(ctx, workspace);
    const counts = { draft: 0, published: 0, archived: 0 };
    let words = 0;
    let longest: { title: string; words: number } | null = null;
    const ids = new Set<Id<"documents">>();
    const documents = ctx.db
      .query("documents")
      .withIndex("by_status", (q) => q.eq("workspace", workspace).eq("trash", undefined));
    for await (const document of documents) {
      ids.add(document._id);
      counts[document.status ?? "published"] += 1;
      words += document.words;
      if (longest === null || document.words > longest.words) longest = document;
    }
    const links = await ctx.db
      .query("links")
      .withIndex("by_workspace", (q) => q.eq("workspace", workspace))
      .collect();
    // Links to documents in the trash do not hold.
    const shared = new Set(links.map((link) => link.document).filter((id) => ids.has(id))).size;
    return { ...counts, words, shared, longest: longest?.title ?? null };
  },
});
