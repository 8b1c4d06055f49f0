// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";

/** Stores a comment in a thread. */
export async function addComment(
  ctx: MutationCtx,
  thread: Doc<"threads">,
  comment: { author: string; text: string; key?: string },
): Promise<Id<"comments">> {
  await ctx.db.patch("threads", thread._id, { size: thread.size + 1, lastAt: Date.now() });
  return await ctx.db.insert("comments", { ...comment, thread: thread._id, isEdited: false });
}

/** Deletes a comment, and its thread if it was the last one. */
export async function takeComment(ctx: MutationCtx, thread: Doc<"threads">, id: Id<"comments">) {
  await ctx.db.delete("comments", id);
  if (thread.size === 1) await ctx.db.delete("threads", thread._id);
  else await ctx.db.patch("threads", thread._id, { size: thread.size - 1 });
}
