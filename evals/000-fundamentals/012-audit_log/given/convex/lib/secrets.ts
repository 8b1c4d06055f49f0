// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/** Fields whose values nobody is ever shown, and that no other place may have. */
export const SECRET_FIELDS: readonly string[] = ["secret", "token"];

/** What is shown in the place of such a value. */
export const HIDDEN = "***";

export function makeSecret(): string {
  return `sk_${crypto.randomUUID()}`;
}
