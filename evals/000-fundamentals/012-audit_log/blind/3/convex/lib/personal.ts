// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/** Fields of customers and tickets that tell who a customer is, how to reach them, or what they wrote. */
export const PERSONAL_FIELDS: readonly string[] = ["name", "email", "phone", "subject", "text"];

/** What stands in the place of such a value when the customer is erased. */
export const ERASED = "(erased)";
