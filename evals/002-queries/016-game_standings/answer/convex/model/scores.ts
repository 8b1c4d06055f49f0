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

/**
 * The score of a player at this moment, 0 for who stands on no board, and when time alone may
 * change it.
 */
export async function scoreOf(ctx: QueryCtx, player: Doc<"players">) {
  const { suspendedUntil = 0 } = player;
  if (suspendedUntil > Date.now()) return { score: 0, until: suspendedUntil };
  const games = await recentGames(ctx, player._id);
  const best = games
    .filter((game) => !game.voided)
    .sort((a, b) => b.points - a.points)
    .slice(0, BEST_GAMES);
  if (best.length === 0) return { score: 0, until: null };
  return {
    score: best.reduce((sum, game) => sum + game.points, 0),
    until: Math.min(...best.map((game) => game.playedAt)) + COUNTS_FOR,
  };
}
