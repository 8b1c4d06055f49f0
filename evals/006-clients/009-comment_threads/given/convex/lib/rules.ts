// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

/*
 * Who calls is told by the argument `author` or `me`: the proxy in front of this deployment has
 * checked it. Refusals are errors whose data is `{ code }`: "gone", "locked", "not_yours",
 * "unfriendly" or "unavailable".
 */

export function refuse(code: string): never {
  throw new ConvexError({ code });
}

/** Returns a thread in which something may be written. */
export async function writableThread(ctx: QueryCtx, id: Id<"threads">): Promise<Doc<"threads">> {
  const thread = await ctx.db.get("threads", id);
  if (thread === null) return refuse("gone");
  const document = await ctx.db.get("documents", thread.document);
  if (document === null || document.isLocked) return refuse("locked");
  return thread;
}

/** Returns a comment that somebody may change, and its thread. */
export async function ownComment(ctx: QueryCtx, id: Id<"comments">, me: string) {
  const comment = await ctx.db.get("comments", id);
  if (comment === null) return refuse("gone");
  const thread = await writableThread(ctx, comment.thread);
  if (comment.author !== me) return refuse("not_yours");
  return { comment, thread };
}
