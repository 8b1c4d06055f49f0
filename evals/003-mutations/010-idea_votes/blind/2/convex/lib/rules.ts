// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/** Numbers of votes of which an author is told, each once. */
export const MILESTONES = [5, 20, 100];

/** So much of what happened on a board is shown; older entries are deleted within the hour. */
export const SHOWN_ACTIVITY = 30;

export const BATCH = 100;

/** Ballots are folded after this time: then the author is told of milestones. */
export const FOLD_MS = 5_000;

/** Ballots that are older than this can be folded without getting in the way of new ones. */
export const SETTLED_MS = 1_000;
