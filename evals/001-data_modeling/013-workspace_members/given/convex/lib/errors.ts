// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

/** All refusals have a code, which clients show in the reader's language. */
export function refuse(code: string): never {
  throw new ConvexError({ code });
}
