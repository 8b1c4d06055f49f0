// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

const COLOR = "grey";

/** A tag that a document has which is not in the trash. */
export async function findTag(ctx: QueryCtx, workspace: Id<"workspaces">, name: string) {
  const tag = await findTagOfAll(ctx, workspace, name);
  return tag === null || tag.count === 0 ? null : tag;
}

export async function findTagOfAll(ctx: QueryCtx, workspace: Id<"workspaces">, name: string) {
  return await ctx.db
    .query("tags")
    .withIndex("by_name", (q) => q.eq("workspace", workspace).eq("name", name))
    .unique();
}

/** Takes a tag off a document; the last one takes the tag along. */
export async function untag(ctx: MutationCtx, tagging: Doc<"taggings">) {
  await ctx.db.delete("taggings", tagging._id);
  const tag = await ctx.db.get("tags", tagging.tag);
  if (tag === null) return;
  await ctx.db.patch("tags", tag._id, { count: tag.count - 1 });
  await dropUnused(ctx, tag._id);
}

/** Deletes a tag that nothing has, in the trash neither. */
export async function dropUnused(ctx: MutationCtx, tag: Id<"tags">) {
  const tagging = await ctx.db
    .query("taggings")
    .withIndex("by_tag", (q) => q.eq("tag", tag))
    .first();
  if (tagging === null) await ctx.db.delete("tags", tag);
}

export async function tagDocument(ctx: MutationCtx, document: Doc<"documents">, name: string) {
  const { workspace } = document;
  const tag = await findTagOfAll(ctx, workspace, name);
  if (tag !== null)
    await ctx.db.patch("tags", tag._id, {
      count: tag.count + 1,
      color: tag.count === 0 ? COLOR : tag.color,
    });
  const id = tag?._id ?? (await ctx.db.insert("tags", { workspace, name, color: COLOR, count: 1 }));
  await ctx.db.insert("taggings", { tag: id, document: document._id });
}
