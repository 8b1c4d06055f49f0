// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { QueryCtx } from "../_generated/server";
import { refuse } from "./attempt";

export async function findMember(ctx: QueryCtx, subject: string) {
  return await ctx.db
    .query("members")
    .withIndex("by_subject", (q) => q.eq("subject", subject))
    .unique();
}

export async function requireMember(ctx: QueryCtx) {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) refuse("not signed in");
  return (await findMember(ctx, identity.subject)) ?? refuse("not a member");
}

export async function requireStaff(ctx: QueryCtx) {
  const identity = await ctx.auth.getUserIdentity();
  if (identity?.role !== "staff") refuse("not allowed");
}
