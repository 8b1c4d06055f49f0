// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/** The price of some minutes, rounded to whole cents. Each entry is rounded for itself. */
export function priceOf(minutes: number, rate: number): number {
  return Math.round((minutes * rate) / 60);
}

/** `basisPoints` of an amount: 150 are one and a half percent. Rounded down, in the client's favour. */
export function shareOf(amount: number, basisPoints: number): number {
  return Math.floor((amount * basisPoints) / 10_000);
}
