// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

/** The rows that share the count of games, so that players seldom wait for each other. */
const SHARDS = 64;

function shardOf(player: Id<"players">): number {
  let hash = 0;
  for (let i = 0; i < player.length; i++) hash = (hash * 31 + player.charCodeAt(i)) % 65_521;
  return hash % SHARDS;
}

export async function countGames(ctx: QueryCtx): Promise<number> {
  const totals = await ctx.db.query("totals").unique();
  const shards = await ctx.db.query("gameCounts").collect();
  return shards.reduce((sum, { games }) => sum + games, totals?.games ?? 0);
}

export async function addGames(ctx: MutationCtx, player: Id<"players">, by: number) {
  const shard = shardOf(player);
  const row = await ctx.db
    .query("gameCounts")
    .withIndex("by_shard", (q) => q.eq("shard", shard))
    .unique();
  if (row === null) await ctx.db.insert("gameCounts", { shard, games: by });
  else await ctx.db.patch("gameCounts", row._id, { games: row.games + by });
}

/** When the newest game was played on a machine, be it voided or deleted; null if there was none. */
export async function lastGameAt(ctx: QueryCtx, machine: Doc<"machines">): Promise<number | null> {
  const kept = machine.lastGameAt ?? 0;
  const newest = await ctx.db
    .query("games")
    .withIndex("by_machine", (q) => q.eq("machine", machine._id).gt("playedAt", kept))
    .order("desc")
    .first();
  return newest?.playedAt ?? machine.lastGameAt ?? null;
}
