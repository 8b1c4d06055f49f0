// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

const REASONS: Record<string, string> = {
  gone: "It was deleted meanwhile",
  locked: "The document is locked",
  not_yours: "It is not yours",
  unfriendly: "Please say it in a friendlier way",
  unavailable: "The tone could not be checked",
};

/** Returns what the page says when something was refused, or nothing came back. */
export function explain(error: unknown): string {
  const { code } = error instanceof ConvexError ? (error.data as { code: string }) : { code: "" };
  return REASONS[code] ?? "Something went wrong";
}
