// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

function storedBio(ctx: QueryCtx, user: Id<"users">) {
  return ctx.db
    .query("bios")
    .withIndex("by_user", (q) => q.eq("user", user))
    .unique();
}

/** Accounts that are not converted yet still hold their bio themselves. */
export async function bioOf(ctx: QueryCtx, user: Doc<"users">): Promise<string> {
  return user.bio ?? (await storedBio(ctx, user._id))?.bio ?? "";
}

/** Stores a bio apart from its account, which it makes small. */
export async function setBio(ctx: MutationCtx, user: Id<"users">, bio: string) {
  const stored = await storedBio(ctx, user);
  if (stored === null) await ctx.db.insert("bios", { user, bio });
  else await ctx.db.patch("bios", stored._id, { bio });
  await ctx.db.patch("users", user, { bio: undefined });
}

/** Removes an account with its bio. */
export async function removeUser(ctx: MutationCtx, user: Id<"users">) {
  const stored = await storedBio(ctx, user);
  if (stored !== null) await ctx.db.delete("bios", stored._id);
  await ctx.db.delete("users", user);
}
