// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
export const HOUR = 60 * 60 * 1000;
/** A score is the sum of this many games, the best that count. */
export const BEST_GAMES = 3;
/** For so long after it was played a game counts. */
export const COUNTS_FOR = 24 * HOUR;
/** The games of a player in this time, voided ones included. */
export const MAX_GAMES = 60;
export const MAX_POINTS = 10_000;
/** The entries of a page of the standings. */
export const PAGE_SIZE = 20;
/** The entries that are shown above a player, and below. */
export const NEIGHBOURS = 3;
/** The games that a machine brings at once after it was offline. */
export const MAX_UPLOAD = 50;
/** Games are kept for so long. */
export const KEPT_FOR = 30 * 24 * HOUR;
/** The rows that a background job deletes in one transaction. */
export const BATCH = 100;
