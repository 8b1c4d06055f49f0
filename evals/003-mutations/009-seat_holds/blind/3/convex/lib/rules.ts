// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/*
 * The house's rules. They hold for everything on the web; the desk does as it likes.
 */

const MINUTE = 60 * 1000;
const DAY = 24 * 60 * MINUTE;

/** A person has at most so many seats of one event, paid or not. */
export const MAX_SEATS = 6;

/**
 * Web sales end so long before the start. Then the house list is printed: what is open on the web ends
 * at that moment at the latest, and nothing is booked or offered any more. Free seats are the desk's.
 */
export const SALES_END_MS = 60 * MINUTE;

/** A booking that came to nothing is deleted so long afterwards. */
export const KEEP_MS = 30 * DAY;

/** What is booked on the web has to be paid within this time. */
export const HOLD_MS = 10 * MINUTE;

/** What was offered to somebody who waited has to be paid within this time. */
export const OFFER_MS = 60 * MINUTE;

/** By so much the owner of a booking can move its end, once. */
export const EXTENSION_MS = 5 * MINUTE;
