// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { refuse } from "../lib/attempt";

type Kind = Doc<"bookings">["kind"];

export type Transfer = {
  kind: Kind;
  text: string;
  from: Id<"members">;
  to: Id<"members">;
  minutes: number;
};

/** Minutes that a member gets, or gives if they are negative. */
export type Change = { member: Id<"members">; minutes: number };

/** The month of a moment, as in `months`. */
export const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7);

export async function findMonth(ctx: QueryCtx, member: Id<"members">, month: string) {
  return await ctx.db
    .query("months")
    .withIndex("by_member", (q) => q.eq("member", member).eq("month", month))
    .unique();
}

async function addToMonth(ctx: MutationCtx, member: Id<"members">, minutes: number) {
  const month = monthOf(Date.now());
  const earned = Math.max(minutes, 0);
  const spent = Math.max(-minutes, 0);
  const row = await findMonth(ctx, member, month);
  if (row === null) await ctx.db.insert("months", { member, month, earned, spent });
  else {
    const sums = { earned: row.earned + earned, spent: row.spent + spent };
    await ctx.db.patch("months", row._id, sums);
  }
}

/**
 * Checks that members are able to get or to give minutes, one after the other. It writes nothing: a
 * refusal that somebody catches would not undo what was written before it.
 */
export async function checkChanges(ctx: QueryCtx, changes: Change[]) {
  const members = new Map<Id<"members">, Doc<"members">>();
  for (const { member: id, minutes } of changes) {
    const member =
      members.get(id) ?? (await ctx.db.get("members", id)) ?? refuse("somebody has left");
    if (member.frozen) refuse(`${member.name} is frozen`);
    const balance = member.balance + minutes;
    if (minutes < 0 && balance < -member.credit) refuse(`${member.name} has too few minutes`);
    members.set(id, { ...member, balance });
  }
}

/** Enters minutes for a member, after `checkChanges`. */
async function enter(ctx: MutationCtx, booking: Id<"bookings">, { member: id, minutes }: Change) {
  const member = (await ctx.db.get("members", id)) ?? refuse("somebody has left");
  await ctx.db.insert("entries", { booking, member: id, minutes });
  await ctx.db.patch("members", id, { balance: member.balance + minutes });
  await addToMonth(ctx, id, minutes);
}

/** Makes a booking with an entry for each change, or refuses before anything is written. */
export async function book(ctx: MutationCtx, kind: Kind, text: string, changes: Change[]) {
  await checkChanges(ctx, changes);
  const parts = changes.length;
  const booking = await ctx.db.insert("bookings", { kind, text, parts, at: Date.now() });
  for (const change of changes) await enter(ctx, booking, change);
  return booking;
}

/** Books minutes from one member to another, or refuses before anything is written. */
export async function transfer(ctx: MutationCtx, { kind, text, from, to, minutes }: Transfer) {
  return await book(ctx, kind, text, [
    { member: to, minutes },
    { member: from, minutes: -minutes },
  ]);
}

export function checkMinutes(minutes: number) {
  if (!Number.isInteger(minutes) || minutes <= 0) refuse("bad minutes");
}
