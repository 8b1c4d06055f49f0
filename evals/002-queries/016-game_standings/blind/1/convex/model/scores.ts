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

type Player = Pick<Doc<"players">, "_id" | "suspendedUntil">;

export function isSuspended(player: Pick<Player, "suspendedUntil">): boolean {
  return (player.suspendedUntil ?? 0) > Date.now();
}

export type Score = {
  /** 0 for who stands on no board. */
  score: number;
  /** When time alone will change the score; it may change earlier by games and suspensions. */
  changesAt: number | undefined;
  /** The games that were read. */
  read: number;
};

/** The score of a player at this moment. */
export async function scoreOf(ctx: QueryCtx, player: Player): Promise<Score> {
  const recent = await recentGames(ctx, player._id);
  const games = recent.filter((game) => !game.voided);
  const read = recent.length;
  if (isSuspended(player)) {
    const end = player.suspendedUntil ?? 0;
    const counts = games.some((game) => game.playedAt + COUNTS_FOR > end);
    return { score: 0, changesAt: counts ? Math.ceil(end) : undefined, read };
  }
  const best = games
    .sort((a, b) => b.points - a.points || b.playedAt - a.playedAt)
    .slice(0, BEST_GAMES);
  if (best.length === 0) return { score: 0, changesAt: undefined, read };
  const oldest = Math.min(...best.map((game) => game.playedAt));
  return {
    score: best.reduce((sum, game) => sum + game.points, 0),
    changesAt: Math.ceil(oldest + COUNTS_FOR),
    read,
  };
}
