// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

/** What a statement does about a row that breaks a constraint. */
export type Policy = "abort" | "ignore" | "replace";

export function refuse(why: string): never {
  throw new ConvexError(why);
}
