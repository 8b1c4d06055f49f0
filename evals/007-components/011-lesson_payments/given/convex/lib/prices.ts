// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/** Returns the price of a lesson in whole cents. */
export function priceOf(rate: number, minutes: number): number {
  return Math.round((rate * minutes) / 60);
}

/** Our fee, a tenth of whatever a tutor gets for a lesson, in whole cents, rounded down. */
export function feeOf(amount: number): number {
  return Math.floor(amount / 10);
}

/** What is due for a lesson that its student cancels late, in whole cents, rounded down. */
export function lateShareOf(price: number): number {
  return Math.floor(price / 2);
}
