// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Infer } from "convex/values";
import type { MutationCtx, QueryCtx } from "./_generated/server";
import type { sums } from "./schema";

export type Sums = Infer<typeof sums>;

export const found = (ctx: QueryCtx, office: string) =>
  ctx.db
    .query("ledger")
    .withIndex("office", (q) => q.eq("office", office))
    .first();

/** Adds to the page of an office. A page on which nothing waits any more is thrown away. */
export async function add(ctx: MutationCtx, office: string, change: Sums) {
  const page = await found(ctx, office);
  const after = {
    telegrams: (page?.sums.telegrams ?? 0) + change.telegrams,
    words: (page?.sums.words ?? 0) + change.words,
  };
  if (page === null) {
    await ctx.db.insert("ledger", { office, sums: after });
  } else if (after.telegrams === 0) {
    await ctx.db.delete(page._id);
  } else {
    await ctx.db.replace(page._id, { office, sums: after });
  }
}
