// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

async function tokenAndName(ctx: QueryCtx): Promise<{ token: string; name: string }> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) throw new ConvexError("not_signed_in");
  return { token: identity.tokenIdentifier, name: identity.name ?? "somebody" };
}

/** The caller, if we have seen them before. */
export async function findCaller(ctx: QueryCtx): Promise<Doc<"people"> | null> {
  const { token } = await tokenAndName(ctx);
  return await ctx.db
    .query("people")
    .withIndex("by_token", (q) => q.eq("token", token))
    .unique();
}

/** The caller, who is entered the first time. */
export async function callerOf(ctx: MutationCtx): Promise<Id<"people">> {
  const person = await findCaller(ctx);
  if (person !== null) return person._id;
  return await ctx.db.insert("people", await tokenAndName(ctx));
}
