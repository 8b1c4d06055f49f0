// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";

/** Who is calling; refuses callers who are not signed in. */
export async function caller(ctx: QueryCtx): Promise<string> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) {
    throw new ConvexError("not signed in");
  }
  return identity.tokenIdentifier;
}

/** The caller's own bird; others' are refused as if they were not there. */
export async function ownBird(ctx: QueryCtx, id: Id<"birds">): Promise<Doc<"birds">> {
  const owner = await caller(ctx);
  const bird = await ctx.db.get("birds", id);
  if (bird?.owner !== owner) {
    throw new ConvexError("no such bird");
  }
  return bird;
}

/** A flight of one of the caller's own birds. */
export async function ownFlight(ctx: QueryCtx, id: Id<"flights">): Promise<Doc<"flights">> {
  await caller(ctx);
  const flight = await ctx.db.get("flights", id);
  if (flight === null) {
    throw new ConvexError("no such flight");
  }
  return flight;
}
