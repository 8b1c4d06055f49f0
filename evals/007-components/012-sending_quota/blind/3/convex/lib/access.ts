// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

/** Returns a refusal. Its codes are "no_access", "suspended", "blocked" and "over_quota". */
export function refusal(code: string) {
  return new ConvexError({ code });
}

/** Returns the code of a refusal that was caught, or null for any other error. */
export function refusalCode(error: unknown): string | null {
  if (!(error instanceof ConvexError)) return null;
  const data: unknown = error.data;
  if (typeof data !== "object" || data === null || !("code" in data)) return null;
  return typeof data.code === "string" ? data.code : null;
}

/** Refuses who is no member of a workspace. */
export async function requireMember(
  ctx: QueryCtx,
  workspace: Id<"workspaces">,
): Promise<Doc<"members">> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) throw refusal("no_access");
  const member = await ctx.db
    .query("members")
    .withIndex("by_workspace", (q) => q.eq("workspace", workspace).eq("user", identity.subject))
    .unique();
  if (member === null) throw refusal("no_access");
  return member;
}
