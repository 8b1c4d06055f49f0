// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

const REASONS: Record<string, string> = {
  gone: "The talk was withdrawn",
  closed: "The programme is closed now",
  stale: "Somebody else changed this talk",
  long: "The text is too long",
};

/** Returns what the page says when a talk could not be saved. */
export function explain(error: unknown): string {
  const { code } = error instanceof ConvexError ? (error.data as { code: string }) : { code: "" };
  return REASONS[code] ?? "Something went wrong";
}
