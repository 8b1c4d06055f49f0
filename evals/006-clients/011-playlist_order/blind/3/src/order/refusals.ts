// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

const REASONS: Record<string, string> = {
  gone: "It was removed",
  no_place: "The track above was removed",
  frozen: "The order is frozen now",
  played: "That was played already",
};

function codeOf(error: unknown): string {
  return error instanceof ConvexError ? (error.data as { code: string }).code : "";
}

/** Returns what the page says about a move that was refused. */
export function explain(error: unknown): string {
  return REASONS[codeOf(error)] ?? "It could not be moved";
}

/** Returns whether a move was refused because its track was removed. */
export function isGone(error: unknown): boolean {
  return codeOf(error) === "gone";
}
