// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { fail } from "./errors";

/** Return the member who calls. */
export async function requireMember(ctx: QueryCtx): Promise<Doc<"members">> {
  const identity = await ctx.auth.getUserIdentity();
  const member =
    identity === null
      ? null
      : await ctx.db
          .query("members")
          .withIndex("by_token", (q) => q.eq("token", identity.tokenIdentifier))
          .unique();
  if (member === null) {
    throw fail("not_allowed");
  }
  return member;
}

/** Return the admin who calls. */
export async function requireAdmin(ctx: QueryCtx): Promise<Doc<"members">> {
  const member = await requireMember(ctx);
  if (member.role !== "admin") {
    throw fail("not_allowed");
  }
  return member;
}
