// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
export const CURRENCY = "EUR";

/** Writes cents as pages and mails show them: 1250 is "12.50 EUR". */
export function formatAmount(cents: number): string {
  return `${(cents / 100).toFixed(2)} ${CURRENCY}`;
}

/** Returns an amount that is `percent` lower, in whole cents. */
export function reduce(cents: number, percent: number): number {
  return Math.round((cents * (100 - percent)) / 100);
}
