// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

const COLOR = "grey";

/** The tag of a name, also one that only documents in the trash have. */
export async function findStoredTag(ctx: QueryCtx, workspace: Id<"workspaces">, name: string) {
  return await ctx.db
    .query("tags")
    .withIndex("by_name", (q) => q.eq("workspace", workspace).eq("name", name))
    .unique();
}

export async function findTag(ctx: QueryCtx, workspace: Id<"workspaces">, name: string) {
  const tag = await findStoredTag(ctx, workspace, name);
  return tag === null || tag.count === 0 ? null : tag;
}

/** Whether a document has a tag, be it in the trash. */
async function hasTagging(ctx: QueryCtx, tag: Id<"tags">) {
  const tagging = await ctx.db
    .query("taggings")
    .withIndex("by_tag", (q) => q.eq("tag", tag))
    .first();
  return tagging !== null;
}

/** Takes a tag off a document; the last one takes the tag along. */
export async function untag(ctx: MutationCtx, tagging: Doc<"taggings">) {
  await ctx.db.delete("taggings", tagging._id);
  const tag = await ctx.db.get("tags", tagging.tag);
  if (tag === null) return;
  if (tag.count > 1) await ctx.db.patch("tags", tag._id, { count: tag.count - 1 });
  else if (await hasTagging(ctx, tag._id)) await ctx.db.patch("tags", tag._id, { count: 0 });
  else await ctx.db.delete("tags", tag._id);
}

/** The same for a document that its tags do not count any more. */
export async function dropTagging(ctx: MutationCtx, tagging: Doc<"taggings">) {
  await ctx.db.delete("taggings", tagging._id);
  const tag = await ctx.db.get("tags", tagging.tag);
  if (tag !== null && !(await hasTagging(ctx, tag._id))) await ctx.db.delete("tags", tag._id);
}

/** Changes the counts of a document's tags, when it goes into the trash and when it is back. */
export async function countTags(ctx: MutationCtx, document: Id<"documents">, by: 1 | -1) {
  const taggings = ctx.db
    .query("taggings")
    .withIndex("by_document", (q) => q.eq("document", document));
  for (const tagging of await taggings.collect()) {
    const tag = await ctx.db.get("tags", tagging.tag);
    if (tag !== null)
      await ctx.db.patch("tags", tag._id, { count: Math.max(tag.count + by, 0) });
  }
}

export async function tagDocument(ctx: MutationCtx, document: Doc<"documents">, name: string) {
  const { workspace } = document;
  const tag = await findStoredTag(ctx, workspace, name);
  // A tag that only documents in the trash have begins anew.
  if (tag !== null)
    await ctx.db.patch("tags", tag._id, {
      count: tag.count + 1,
      color: tag.count === 0 ? COLOR : tag.color,
    });
  const id = tag?._id ?? (await ctx.db.insert("tags", { workspace, name, color: COLOR, count: 1 }));
  await ctx.db.insert("taggings", { tag: id, document: document._id });
}
