// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";
import { requireDocument, requireMember } from "./model/access";
import { findBySlug } from "./model/slugs";

/** What a document refers to; without a title where there is no such document. */
export const from = query({
  args: { document: v.id("documents") },
  returns: v.array(v.object({ slug: v.string(), title: v.union(v.string(), v.null()) })),
  handler: async (ctx, { document }) => {
    const { workspace } = (await requireDocument(ctx, document)).document;
    const rows = await ctx.db
      .query("references")
      .withIndex("by_from", (q) => q.eq("from", document))
      .collect();
    return await Promise.all(
      rows.map(async ({ slug }) => ({
        slug,
        title: (await findBySlug(ctx, workspace, slug))?.title ?? null,
      })),
    );
  },
});

/** The titles of the documents that refer to a document. */
export const to = query({
  args: { document: v.id("documents") },
  returns: v.array(v.string()),
  handler: async (ctx, args) => {
    const { document } = await requireDocument(ctx, args.document);
    const rows = await ctx.db
      .query("references")
      .withIndex("by_slug", (q) =>
        q.eq("workspace", document.workspace).eq("trashed", undefined).eq("slug", document.slug),
      )
      .collect();
    const documents = await Promise.all(rows.map((row) => ctx.db.get("documents", row.from)));
    return documents.filter((each) => each !== null).map((each) => each.title);
  },
});

/** The slugs that documents refer to and no document has, by the alphabet. */
export const missing = query({
  args: { workspace: v.id("workspaces") },
  returns: v.array(v.string()),
  handler: async (ctx, { workspace }) => {
    await requireMember(ctx, workspace);
    const slugs = new Set<string>();
    const rows = ctx.db
      .query("references")
      .withIndex("by_slug", (q) => q.eq("workspace", workspace).eq("trashed", undefined));
    for await (const { slug } of rows)
      if (!slugs.has(slug) && (await findBySlug(ctx, workspace, slug)) === null) slugs.add(slug);
    return [...slugs];
  },
});
