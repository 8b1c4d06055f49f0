// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";

/** Notes what happened. What is no longer shown is deleted by `activity.trim`: nothing is read here. */
export async function note(
  ctx: MutationCtx,
  board: Id<"boards">,
  idea: Id<"ideas">,
  kind: Doc<"activity">["kind"],
): Promise<void> {
  await ctx.db.insert("activity", { board, idea, kind });
}
