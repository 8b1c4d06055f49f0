// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc } from "../_generated/dataModel";

const LIMITS = {
  free: { documents: 20, bytes: 2_000 },
  team: { documents: 20_000, bytes: 100_000_000_000 },
};

export function limitsOf({ plan }: Doc<"workspaces">) {
  return LIMITS[plan];
}

/** Refuses what a workspace has no room for. */
export function requireRoom(workspace: Doc<"workspaces">, documents: number, bytes: number): void {
  const limits = limitsOf(workspace);
  if (documents > 0 && workspace.documentCount + documents > limits.documents)
    throw new ConvexError("too many documents");
  if (bytes > 0 && workspace.bytes + bytes > limits.bytes) throw new ConvexError("too many bytes");
}
