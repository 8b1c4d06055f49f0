// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { BEST_GAMES, COUNTS_FOR } from "../constants";

/** The games of a player that are not too old to count. */
export async function recentGames(ctx: QueryCtx, player: Id<"players">) {
  const start = Date.now() - COUNTS_FOR;
  return await ctx.db
    .query("games")
    .withIndex("by_player", (q) => q.eq("player", player).gt("playedAt", start))
    .collect();
}

/** The score of a player at this moment; 0 for who stands on no board. */
export async function scoreOf(ctx: QueryCtx, player: Doc<"players">): Promise<number> {
  if ((player.suspendedUntil ?? 0) > Date.now()) return 0;
  const games = await recentGames(ctx, player._id);
  return games
    .filter((game) => !game.voided)
    .map((game) => game.points)
    .sort((a, b) => b - a)
    .slice(0, BEST_GAMES)
    .reduce((sum, points) => sum + points, 0);
}
