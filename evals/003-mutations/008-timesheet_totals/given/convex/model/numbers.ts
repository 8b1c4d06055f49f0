// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { MutationCtx } from "../_generated/server";

/** The next number of a sequence, beginning with 1. */
export async function nextNumber(ctx: MutationCtx, name: string): Promise<number> {
  const counter = await ctx.db
    .query("counters")
    .withIndex("by_name", (q) => q.eq("name", name))
    .unique();
  if (counter === null) {
    await ctx.db.insert("counters", { name, value: 1 });
    return 1;
  }
  await ctx.db.patch("counters", counter._id, { value: counter.value + 1 });
  return counter.value + 1;
}
