// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";

/** Changes the number of cards of a list. */
export async function changeSize(ctx: MutationCtx, list: Id<"lists">, by: number) {
  const { size } = await getList(ctx, list);
  await ctx.db.patch("lists", list, { size: size + by });
}

export async function getList(ctx: MutationCtx, list: Id<"lists">) {
  const found = await ctx.db.get("lists", list);
  if (found === null) throw new Error(`no list ${list}`);
  return found;
}
