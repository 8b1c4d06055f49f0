// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/** What stands in the place of what told who an erased customer was. */
export const ERASED = "(erased)";

/** Fields of customers and of their tickets that tell such things. */
export const PERSONAL_FIELDS: readonly string[] = ["name", "email", "phone", "subject", "text"];
