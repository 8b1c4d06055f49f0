// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/*
 * The rules of people
 *
 * - A person is an issuer and a subject together: the same subject of another issuer is somebody
 *   else.
 * - The claim `role` says who works for us. Staff open and change zones and read the takings;
 *   staff and wardens check plates. All others are refused this ("not allowed").
 * - Permits, places in a line and notices belong to one person. Nobody else sees or changes
 *   them, not even staff. A permit of somebody else is "not found", and so is one that is not
 *   valid any more.
 */
import { ConvexError } from "convex/values";
import type { QueryCtx } from "../_generated/server";

export function refuse(text: string): never {
  throw new ConvexError(text);
}

async function requireIdentity(ctx: QueryCtx) {
  return (await ctx.auth.getUserIdentity()) ?? refuse("not signed in");
}

export async function requirePerson(ctx: QueryCtx) {
  const identity = await requireIdentity(ctx);
  return identity.tokenIdentifier;
}

export async function requireRole(ctx: QueryCtx, ...roles: string[]) {
  const identity = await requireIdentity(ctx);
  if (typeof identity.role !== "string" || !roles.includes(identity.role))
    refuse("not allowed");
}
