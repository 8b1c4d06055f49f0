// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, type Infer } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";
import type { role } from "./schema";

export type Role = Infer<typeof role>;

const RANKS: Record<Role, number> = { listener: 0, operator: 1, steward: 2 };

export function isBelow(role: Role, needs: Role): boolean {
  return RANKS[role] < RANKS[needs];
}

async function currentUser(ctx: QueryCtx): Promise<string> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) throw new ConvexError({ code: "unauthenticated" });
  return identity.tokenIdentifier;
}

async function currentMember(ctx: QueryCtx): Promise<Doc<"members">> {
  const user = await currentUser(ctx);
  const member = await ctx.db
    .query("members")
    .withIndex("by_user", (q) => q.eq("user", user))
    .first();
  if (member === null) {
    throw new ConvexError({ code: "not_a_member" });
  }
  if (member.suspended) {
    throw new ConvexError({ code: "suspended" });
  }
  return member;
}

/** The member who is calling, whose role must be enough. */
export async function requireRole(ctx: QueryCtx, needs: Role): Promise<Doc<"members">> {
  const member = await currentMember(ctx);
  if (isBelow(member.role, needs)) {
    throw new ConvexError({ code: "forbidden", needs });
  }
  return member;
}
