// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { findRider } from "../model/accounts";
import { refuse } from "./errors";

/** Returns the signed-in rider, who has registered. */
export async function requireRider(ctx: QueryCtx): Promise<Doc<"riders">> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) refuse("not_signed_in");
  const login = await ctx.db
    .query("logins")
    .withIndex("by_subject", (q) => q.eq("subject", identity.subject))
    .unique();
  const rider = login && (await findRider(ctx, login.rider));
  return rider ?? refuse("not_found");
}

/** Staff have the claim `role: "staff"`. */
export async function requireStaff(ctx: QueryCtx): Promise<void> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) refuse("not_signed_in");
  if (identity.role !== "staff") refuse("not_staff");
}
