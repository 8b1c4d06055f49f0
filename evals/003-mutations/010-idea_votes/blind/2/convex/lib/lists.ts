// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/** The votes of some rows together. */
export function sum(rows: { votes: number }[]): number {
  return rows.reduce((total, { votes }) => total + votes, 0);
}
