// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

/*
 * A card is what a home needs of a user, who may have a long bio. It is written together with the user.
 * Users of former times have none until `migrate:next` comes to them.
 */

export async function cardOf(ctx: QueryCtx, user: Id<"users">): Promise<Doc<"cards"> | null> {
  return await ctx.db
    .query("cards")
    .withIndex("by_user", (q) => q.eq("user", user))
    .unique();
}

/** The card of whoever calls. */
export async function requireCard(ctx: QueryCtx): Promise<Doc<"cards">> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) throw new ConvexError("not signed in");
  const card = await ctx.db
    .query("cards")
    .withIndex("by_token", (q) => q.eq("token", identity.tokenIdentifier))
    .unique();
  if (card === null) throw new ConvexError("no account");
  return card;
}

export async function addCard(
  ctx: MutationCtx,
  user: Pick<Doc<"users">, "_id" | "token" | "handle" | "name" | "suspendedUntil">,
) {
  const { _id, token, handle, name, suspendedUntil } = user;
  await ctx.db.insert("cards", { user: _id, token, handle, name, suspendedUntil });
}

export async function changeCard(
  ctx: MutationCtx,
  user: Id<"users">,
  changes: Partial<Pick<Doc<"cards">, "handle" | "name" | "suspendedUntil">>,
) {
  const card = await cardOf(ctx, user);
  if (card !== null) await ctx.db.patch("cards", card._id, changes);
}

export async function removeCard(ctx: MutationCtx, user: Id<"users">) {
  const card = await cardOf(ctx, user);
  if (card !== null) await ctx.db.delete("cards", card._id);
}
