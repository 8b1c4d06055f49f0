// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Id } from "./_generated/dataModel";
import type { MutationCtx, QueryCtx } from "./_generated/server";

type Ctx = QueryCtx | MutationCtx;

export async function requireOwner(ctx: Ctx) {
  const identity = await ctx.auth.getUserIdentity();
  if (!identity) throw new ConvexError("not signed in");
  return JSON.stringify([identity.issuer, identity.subject]);
}

export async function requireAscent(ctx: Ctx, id: Id<"ascents">) {
  const owner = await requireOwner(ctx);
  const ascent = await ctx.db.get("ascents", id);
  if (ascent?.owner !== owner) throw new ConvexError("no such ascent");
  return ascent;
}
