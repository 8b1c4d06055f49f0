// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

/** The account of whoever calls. */
export async function requireUser(ctx: QueryCtx): Promise<Doc<"users">> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) throw new ConvexError("not signed in");
  const user = await ctx.db
    .query("users")
    .withIndex("by_token", (q) => q.eq("token", identity.tokenIdentifier))
    .unique();
  if (user === null) throw new ConvexError("no account");
  return user;
}

export async function requireModerator(ctx: QueryCtx): Promise<Doc<"users">> {
  const user = await requireUser(ctx);
  if (user.role !== "moderator") throw new ConvexError("not a moderator");
  return user;
}

export async function userByHandle(ctx: QueryCtx, handle: string): Promise<Doc<"users">> {
  const user = await ctx.db
    .query("users")
    .withIndex("by_handle", (q) => q.eq("handle", handle))
    .unique();
  if (user === null) throw new ConvexError("no such account");
  return user;
}
