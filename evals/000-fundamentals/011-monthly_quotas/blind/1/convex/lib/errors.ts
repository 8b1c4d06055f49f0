// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

/** An error that callers are told: its data is `{ code }`. */
export function fail(code: string): ConvexError<{ code: string }> {
  return new ConvexError({ code });
}

/** The refusal of what does not fit into a month; it is told when the next one begins. */
export function overLimit(resetsAt: number): ConvexError<{ code: string; resetsAt: number }> {
  return new ConvexError({ code: "over_limit", resetsAt });
}
