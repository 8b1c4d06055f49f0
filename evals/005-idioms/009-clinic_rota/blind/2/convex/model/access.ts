// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

export async function requireToken(ctx: QueryCtx): Promise<string> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) throw new ConvexError("not signed in");
  return identity.tokenIdentifier;
}

/** Somebody's present membership of a clinic; null if they are no member, or have left. */
export async function findMember(
  ctx: QueryCtx,
  clinic: Id<"clinics">,
  token: string,
): Promise<Doc<"members"> | null> {
  const rows = await ctx.db
    .query("members")
    .withIndex("by_clinic", (q) => q.eq("clinic", clinic).eq("token", token))
    .order("desc")
    .collect();
  return rows.find((row) => row.leftAt === undefined) ?? null;
}

/** What belongs to a clinic is for its members. */
export async function requireMember(ctx: QueryCtx, clinic: Id<"clinics">): Promise<Doc<"members">> {
  const member = await findMember(ctx, clinic, await requireToken(ctx));
  if (member === null) throw new ConvexError("not a member");
  return member;
}

/** Only admins change what belongs to a clinic. */
export async function requireAdmin(ctx: QueryCtx, clinic: Id<"clinics">): Promise<Doc<"members">> {
  const member = await requireMember(ctx, clinic);
  if (member.role !== "admin") throw new ConvexError("not an admin");
  return member;
}

/** A membership of this clinic, and of no other one. */
export async function getMember(
  ctx: QueryCtx,
  clinic: Id<"clinics">,
  id: Id<"members">,
): Promise<Doc<"members">> {
  const member = await ctx.db.get("members", id);
  if (member?.clinic !== clinic) throw new ConvexError("no such member");
  return member;
}

/** Whether a membership is the caller's, who has to be a member of its clinic now. */
export async function isOwn(ctx: QueryCtx, id: Id<"members">): Promise<boolean> {
  const member = await ctx.db.get("members", id);
  if (member === null) return false;
  return member.token === (await requireMember(ctx, member.clinic)).token;
}
