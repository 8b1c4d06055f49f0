// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/** The posts that a home shows. */
export const HOME_SIZE = 20;
/** Follows of one account, also muted ones and requests. */
export const MAX_FOLLOWING = 30;
export const MAX_BIO = 8_000;
export const MAX_BODY = 20_000;
/** A name or a handle. */
export const MAX_NAME = 60;
/** The characters of a post that lists show. */
export const EXCERPT = 200;
/** The rows that a background job changes in one transaction. */
export const BATCH = 50;
export const DAY = 24 * 60 * 60 * 1000;
