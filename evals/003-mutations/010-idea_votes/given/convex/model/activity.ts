// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { SHOWN_ACTIVITY } from "../lib/rules";

/** Notes what happened, and forgets what is no longer shown. */
export async function note(
  ctx: MutationCtx,
  board: Id<"boards">,
  idea: Id<"ideas">,
  kind: Doc<"activity">["kind"],
): Promise<void> {
  await ctx.db.insert("activity", { board, idea, kind });
  const kept = await ctx.db
    .query("activity")
    .withIndex("by_board", (q) => q.eq("board", board))
    .order("desc")
    .take(SHOWN_ACTIVITY + 10);
  for (const { _id } of kept.slice(SHOWN_ACTIVITY)) await ctx.db.delete("activity", _id);
}
