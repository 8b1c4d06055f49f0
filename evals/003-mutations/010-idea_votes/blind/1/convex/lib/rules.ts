// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/** Numbers of votes of which an author is told, each once. */
export const MILESTONES = [5, 20, 100];

/** So much of what happened on a board is shown, and kept. */
export const SHOWN_ACTIVITY = 30;

export const BATCH = 100;

/** Over so many documents the votes of an idea are spread; 500 ideas have to be added up in one query. */
export const SHARDS = 16;
