// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

const REASONS: Record<string, string> = {
  gone: "The talk was withdrawn",
  closed: "The programme is closed now",
  stale: "Somebody else changed this talk",
  long: "The text is too long",
};

function codeOf(error: unknown): string {
  return error instanceof ConvexError ? (error.data as { code: string }).code : "";
}

/** Whether a talk could not be saved because it has another version by now. */
export function isStale(error: unknown): boolean {
  return codeOf(error) === "stale";
}

/** Returns what the page says when a talk could not be saved. */
export function explain(error: unknown): string {
  return REASONS[codeOf(error)] ?? "Something went wrong";
}
