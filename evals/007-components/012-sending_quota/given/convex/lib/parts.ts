// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";

/** The characters that a text message has room for; longer ones are sent in parts. */
const PART = 160;

/** Returns what a message takes of the quota of its channel. */
export function countParts(channel: Doc<"messages">["channel"], text: string): number {
  return channel === "mails" ? 1 : Math.max(1, Math.ceil(text.length / PART));
}
