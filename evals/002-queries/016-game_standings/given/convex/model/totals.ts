// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

export async function countGames(ctx: QueryCtx): Promise<number> {
  const totals = await ctx.db.query("totals").unique();
  return totals?.games ?? 0;
}

export async function addGames(ctx: MutationCtx, by: number) {
  const totals = await ctx.db.query("totals").unique();
  if (totals === null) await ctx.db.insert("totals", { games: by });
  else await ctx.db.patch("totals", totals._id, { games: totals.games + by });
}

/** Keeps when the newest game was played on a machine. */
export async function noteGame(ctx: MutationCtx, machine: Id<"machines">, playedAt: number) {
  const row = await ctx.db.get("machines", machine);
  if (row !== null && (row.lastGameAt ?? 0) < playedAt)
    await ctx.db.patch("machines", machine, { lastGameAt: playedAt });
}
