// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

const REASONS: Record<string, string> = {
  gone: "It was removed",
  no_place: "The track above was removed",
  frozen: "The order is frozen now",
  played: "That was played already",
};

/** Returns what the page says about a move that was refused. */
export function explain(error: unknown): string {
  const { code } = error instanceof ConvexError ? (error.data as { code: string }) : { code: "" };
  return REASONS[code] ?? "It could not be moved";
}
