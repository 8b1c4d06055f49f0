// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { mutation, query } from "./_generated/server";
import type { MutationCtx } from "./_generated/server";
import { findDocument, requireDocument, requireMember } from "./model/access";
import { showDocument, shownDocument } from "./model/shown";
import { findStoredTag, findTag, tagDocument, untag } from "./model/tagging";

export const list = query({
  args: { workspace: v.id("workspaces") },
  returns: v.array(v.object({ name: v.string(), color: v.string(), documents: v.number() })),
  handler: async (ctx, { workspace }) => {
    await requireMember(ctx, workspace);
    const tags = await ctx.db
      .query("tags")
      .withIndex("by_name", (q) => q.eq("workspace", workspace))
      .collect();
    return tags
      .filter(({ count }) => count !== 0)
      .map(({ name, color, count }) => ({ name, color, documents: count }));
  },
});

export const documents = query({
  args: { workspace: v.id("workspaces"), name: v.string() },
  returns: v.array(shownDocument),
  handler: async (ctx, { workspace, name }) => {
    await requireMember(ctx, workspace);
    const tag = await findTag(ctx, workspace, name);
    if (tag === null) return [];
    const taggings = await ctx.db
      .query("taggings")
      .withIndex("by_tag", (q) => q.eq("tag", tag._id))
      .collect();
    const rows = await Promise.all(taggings.map((row) => findDocument(ctx, row.document)));
    return rows.filter((document) => document !== null).map(showDocument);
  },
});

/** Gives a document these tags, and no others. */
export const set = mutation({
  args: { document: v.id("documents"), names: v.array(v.string()) },
  returns: v.null(),
  handler: async (ctx, args) => {
    const { document } = await requireDocument(ctx, args.document);
    const names = [...new Set(args.names)].toSorted();
    const taggings = await ctx.db
      .query("taggings")
      .withIndex("by_document", (q) => q.eq("document", document._id))
      .collect();
    const kept = new Set<string>();
    for (const tagging of taggings) {
      const tag = await ctx.db.get("tags", tagging.tag);
      if (tag !== null && names.includes(tag.name)) kept.add(tag.name);
      else await untag(ctx, tagging);
    }
    for (const name of names) if (!kept.has(name)) await tagDocument(ctx, document, name);
    await ctx.db.patch("documents", document._id, { tags: names });
    return null;
  },
});

export const paint = mutation({
  args: { workspace: v.id("workspaces"), name: v.string(), color: v.string() },
  returns: v.null(),
  handler: async (ctx, { workspace, name, color }) => {
    await requireMember(ctx, workspace);
    const tag = await findTag(ctx, workspace, name);
    if (tag === null) throw new ConvexError("no such tag");
    await ctx.db.patch("tags", tag._id, { color });
    return null;
  },
});

async function renameOn(ctx: MutationCtx, id: Id<"documents">, name: string, to: string) {
  const document = await ctx.db.get("documents", id);
  if (document === null) return;
  const others = (document.tags ?? []).filter((tag) => tag !== name);
  const tags = [...new Set([...others, to])].toSorted();
  await ctx.db.patch("documents", id, { tags });
}

/**
 * Gives all documents of a tag, also those in the trash, another tag instead, and deletes the tag.
 * Returns how many more the other one has to count.
 */
async function mergeInto(ctx: MutationCtx, tag: Id<"tags">, other: Id<"tags">) {
  const taggings = await ctx.db
    .query("taggings")
    .withIndex("by_tag", (q) => q.eq("tag", tag))
    .collect();
  let more = 0;
  for (const tagging of taggings) {
    const both = await ctx.db
      .query("taggings")
      .withIndex("by_tag", (q) => q.eq("tag", other).eq("document", tagging.document))
      .unique();
    if (both !== null) {
      await ctx.db.delete("taggings", tagging._id);
      continue;
    }
    await ctx.db.patch("taggings", tagging._id, { tag: other });
    if ((await findDocument(ctx, tagging.document)) !== null) more += 1;
  }
  await ctx.db.delete("tags", tag);
  return more;
}

/** Renames a tag. If there is a tag of that name, the two become one. */
export const rename = mutation({
  args: { workspace: v.id("workspaces"), name: v.string(), to: v.string() },
  returns: v.null(),
  handler: async (ctx, { workspace, name, to }) => {
    await requireMember(ctx, workspace);
    const tag = await findTag(ctx, workspace, name);
    if (tag === null) throw new ConvexError("no such tag");
    if (name === to) return null;
    const other = await findStoredTag(ctx, workspace, to);
    const taggings = await ctx.db
      .query("taggings")
      .withIndex("by_tag", (q) => q.eq("tag", tag._id))
      .collect();
    for (const tagging of taggings) await renameOn(ctx, tagging.document, name, to);
    if (other !== null && other.count !== 0) {
      const more = await mergeInto(ctx, tag._id, other._id);
      await ctx.db.patch("tags", other._id, { count: other.count + more });
      return null;
    }
    // A tag that only documents in the trash have gives way to this one.
    if (other !== null) await mergeInto(ctx, other._id, tag._id);
    await ctx.db.patch("tags", tag._id, { name: to });
    return null;
  },
});
