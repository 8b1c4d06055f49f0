// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

export async function requirePlayer(ctx: QueryCtx): Promise<Doc<"players">> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) throw new ConvexError("not signed in");
  const player = await ctx.db
    .query("players")
    .withIndex("by_token", (q) => q.eq("token", identity.tokenIdentifier))
    .unique();
  if (player === null) throw new ConvexError("not registered");
  return player;
}

export async function requireStaff(ctx: QueryCtx) {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) throw new ConvexError("not signed in");
  if (identity.role !== "staff") throw new ConvexError("not allowed");
}

export function findPlayer(ctx: QueryCtx, name: string) {
  return ctx.db
    .query("players")
    .withIndex("by_name", (q) => q.eq("name", name))
    .unique();
}

export async function playerByName(ctx: QueryCtx, name: string): Promise<Doc<"players">> {
  const player = await findPlayer(ctx, name);
  if (player === null) throw new ConvexError("no such player");
  return player;
}
