// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

const SHARDS = 24;

/** Players of different shards do not wait for one another. */
function shardOf(player: Id<"players">): number {
  let hash = 0;
  for (const letter of player) hash = (hash * 31 + letter.charCodeAt(0)) % 1_000_003;
  return hash % SHARDS;
}

export async function countGames(ctx: QueryCtx): Promise<number> {
  const totals = await ctx.db.query("totals").collect();
  return totals.reduce((sum, { games }) => sum + games, 0);
}

export async function addGames(ctx: MutationCtx, player: Id<"players">, by: number) {
  const shard = shardOf(player);
  const totals = await ctx.db
    .query("totals")
    .withIndex("by_shard", (q) => q.eq("shard", shard))
    .unique();
  if (totals === null) await ctx.db.insert("totals", { shard, games: by });
  else await ctx.db.patch("totals", totals._id, { games: totals.games + by });
}

/** Keeps when the newest game was played on a machine. */
export async function noteGame(
  ctx: MutationCtx,
  machine: Id<"machines">,
  player: Id<"players">,
  lastGameAt: number,
) {
  const shard = shardOf(player);
  const sighting = await ctx.db
    .query("sightings")
    .withIndex("by_machine", (q) => q.eq("machine", machine).eq("shard", shard))
    .unique();
  if (sighting === null) await ctx.db.insert("sightings", { machine, shard, lastGameAt });
  else if (sighting.lastGameAt < lastGameAt)
    await ctx.db.patch("sightings", sighting._id, { lastGameAt });
}
