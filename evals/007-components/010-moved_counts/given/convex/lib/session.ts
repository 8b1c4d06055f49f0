// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { refuse } from "./errors";

/** Returns the signed-in member, who has joined. */
export async function requireMember(ctx: QueryCtx | MutationCtx): Promise<Doc<"members">> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) refuse("not_signed_in");
  const member = await ctx.db
    .query("members")
    .withIndex("by_subject", (q) => q.eq("subject", identity.subject))
    .unique();
  return member ?? refuse("not_found");
}

/** Staff have the claim `role: "staff"`. */
export async function requireStaff(ctx: QueryCtx | MutationCtx): Promise<void> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) refuse("not_signed_in");
  if (identity.role !== "staff") refuse("not_staff");
}
