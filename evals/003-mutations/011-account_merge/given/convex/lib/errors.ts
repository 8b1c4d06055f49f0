// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

export type Code =
  | "not_signed_in"
  | "not_staff"
  | "not_found"
  | "not_allowed"
  | "not_member"
  | "banned"
  | "owner"
  | "already"
  | "not_signed_up"
  | "started"
  | "credit"
  | "invalid";

/** Ends a function with an error that pages show by its code. */
export function refuse(code: Code): never {
  throw new ConvexError({ code });
}
