// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { SHOWN_ACTIVITY } from "../lib/rules";

const TRIM_BATCH = 500;

/** Notes what happened. What is no longer shown is forgotten later, by `trim`. */
export async function note(
  ctx: MutationCtx,
  board: Id<"boards">,
  idea: Id<"ideas">,
  kind: Doc<"activity">["kind"],
): Promise<void> {
  await ctx.db.insert("activity", { board, idea, kind });
}

/** Forgets what is no longer shown. Returns whether more may be left. */
export async function trim(ctx: MutationCtx, board: Id<"boards">): Promise<boolean> {
  const entries = await ctx.db
    .query("activity")
    .withIndex("by_board", (q) => q.eq("board", board))
    .order("desc")
    .take(SHOWN_ACTIVITY + TRIM_BATCH);
  for (const { _id } of entries.slice(SHOWN_ACTIVITY)) await ctx.db.delete("activity", _id);
  return entries.length === SHOWN_ACTIVITY + TRIM_BATCH;
}
