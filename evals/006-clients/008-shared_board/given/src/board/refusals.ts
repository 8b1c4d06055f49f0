// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

/** Returns what a card says about a move that was refused. */
export function explain(error: unknown): string {
  if (error instanceof ConvexError) {
    const { code, list } = error.data as { code: string; list?: string };
    if (code === "full") return `${list} is full`;
    if (code === "blocked") return "This card is blocked";
    if (code === "gone") return "This card was removed";
  }
  return "This card could not be moved";
}
