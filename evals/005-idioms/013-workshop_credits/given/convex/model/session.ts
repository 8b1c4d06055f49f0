// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/*
 * The rules of people
 *
 * - A person is an issuer and a subject together: the same subject of another issuer is somebody
 *   else. Whoever is not signed in is refused everything ("not signed in").
 * - People join once ("joined already"), with a name that nobody else has ("name taken"). Names
 *   keep their capitals, but capitals make no difference, here and wherever a name is given. Who
 *   has not joined is refused what members do ("not a member").
 * - The claim `role` tells the staff, who grant, withdraw, refund and see the reports; all others
 *   are refused this ("not allowed"). Staff need not be members.
 * - Holds belong to a member. Nobody else sees, captures or releases them; for all others, staff
 *   too, they are "not found".
 */
import { ConvexError } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

export function refuse(text: string): never {
  throw new ConvexError(text);
}

async function requireIdentity(ctx: QueryCtx) {
  return (await ctx.auth.getUserIdentity()) ?? refuse("not signed in");
}

export async function requirePerson(ctx: QueryCtx) {
  return (await requireIdentity(ctx)).tokenIdentifier;
}

export async function requireMember(ctx: QueryCtx): Promise<Doc<"members">> {
  const person = await requirePerson(ctx);
  const member = await ctx.db
    .query("members")
    .withIndex("by_person", (q) => q.eq("person", person))
    .unique();
  return member ?? refuse("not a member");
}

export async function requireStaff(ctx: QueryCtx) {
  if ((await requireIdentity(ctx)).role !== "staff") refuse("not allowed");
}

export async function findByName(ctx: QueryCtx, name: string) {
  return await ctx.db
    .query("members")
    .withIndex("by_folded", (q) => q.eq("folded", name.toLowerCase()))
    .unique();
}
