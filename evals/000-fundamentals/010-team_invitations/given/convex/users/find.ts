// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { fail } from "../lib/errors";

/** Return an address as it is compared: capitals and blanks around it mean nothing. */
export function keyOf(email: string): string {
  return email.trim().toLowerCase();
}

/** Return the account that calls. */
export async function requireUser(ctx: QueryCtx): Promise<Doc<"users">> {
  const identity = await ctx.auth.getUserIdentity();
  const user =
    identity === null
      ? null
      : await ctx.db
          .query("users")
          .withIndex("by_token", (q) => q.eq("token", identity.tokenIdentifier))
          .unique();
  if (user === null) {
    throw fail("not_signed_in");
  }
  return user;
}

/**
 * Return the address that an account has, to be compared; null if it has none.
 *
 * Anybody can type any address: it is theirs only once they verified it.
 */
export function addressOf(user: Doc<"users">): string | null {
  return user.verifiedAt === undefined ? null : (user.emailKey ?? keyOf(user.email));
}

/** Return the account that has an address; null if none has. */
export async function findByAddress(ctx: QueryCtx, email: string): Promise<Doc<"users"> | null> {
  const key = keyOf(email);
  const typed = await ctx.db
    .query("users")
    .withIndex("by_emailKey", (q) => q.eq("emailKey", key))
    .take(50);
  // The accounts of our first year, a few dozen, have no key.
  const first = await ctx.db
    .query("users")
    .withIndex("by_emailKey", (q) => q.eq("emailKey", undefined))
    .take(100);
  return [...typed, ...first].find((user) => addressOf(user) === key) ?? null;
}
