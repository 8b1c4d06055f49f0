// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/*
 * The rules of the statement
 *
 * - Each grant, capture, refund, transfer, end and withdrawal that moves credits is one entry of
 *   each member whom it concerns, at its moment; one of several lots is one entry all the same.
 *   Only what ends has an entry for each lot, and what goes back to a lot that has ended or was
 *   withdrawn has one for each such lot. Holds and releases have none: what is on hold still
 *   belongs to the member.
 * - An entry tells the balance after it: all that belongs to the member, on hold or not.
 * - The newest entry comes first; of one moment, the one that was written last.
 */
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";

type Kind = Doc<"entries">["kind"];

export async function book(
  ctx: MutationCtx,
  member: Id<"members">,
  kind: Kind,
  credits: number,
  at: number,
) {
  const last = await ctx.db
    .query("entries")
    .withIndex("by_member", (q) => q.eq("member", member))
    .order("desc")
    .first();
  const balance = (last?.balance ?? 0) + credits;
  await ctx.db.insert("entries", { member, kind, credits, at, balance });
}

export async function tell(ctx: MutationCtx, member: Id<"members">, text: string) {
  await ctx.db.insert("notices", { member, text });
}
