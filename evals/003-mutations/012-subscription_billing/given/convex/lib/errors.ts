// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

export type Code =
  | "not_signed_in"
  | "not_staff"
  | "not_found"
  | "not_available"
  | "paused"
  | "not_paused"
  | "cancelled"
  | "not_cancelled"
  | "ended"
  | "invalid";

/** Ends a function with an error that pages show by its code. */
export function refuse(code: Code): never {
  throw new ConvexError({ code });
}
