// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

const COLOR = "grey";

export async function findTag(ctx: QueryCtx, workspace: Id<"workspaces">, name: string) {
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
  if (tag.count <= 1) await ctx.db.delete("tags", tag._id);
  else await ctx.db.patch("tags", tag._id, { count: tag.count - 1 });
}

export async function tagDocument(ctx: MutationCtx, document: Doc<"documents">, name: string) {
  const { workspace } = document;
  const tag = await findTag(ctx, workspace, name);
  if (tag !== null) await ctx.db.patch("tags", tag._id, { count: tag.count + 1 });
  const id = tag?._id ?? (await ctx.db.insert("tags", { workspace, name, color: COLOR, count: 1 }));
  await ctx.db.insert("taggings", { tag: id, document: document._id });
}
