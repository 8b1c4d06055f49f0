// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { refuse } from "../lib/attempt";

/*
 * A refusal that is caught undoes nothing. So a booking is checked as a whole before anything of it
 * is written, and whoever catches refusals writes nothing before they have booked.
 */

export type Entry = { member: Id<"members">; minutes: number };

export type Transfer = {
  kind: Doc<"bookings">["kind"];
  text: string;
  from: Id<"members">;
  to: Id<"members">;
  minutes: number;
};

/** What a booking makes of a member. */
type Outcome = { balance: number; earned: number; spent: number };

/** The month of a moment (UTC, such as "2027-03"). */
export const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7);

export async function findMonth(ctx: QueryCtx, member: Id<"members">, month: string) {
  return await ctx.db
    .query("months")
    .withIndex("by_member", (q) => q.eq("member", member).eq("month", month))
    .unique();
}

/**
 * Checks entries one after the other, and returns what they make of each member. Every member must be
 * able to get or to give the minutes.
 */
export async function checkEntries(
  ctx: QueryCtx,
  entries: Entry[],
): Promise<Map<Id<"members">, Outcome>> {
  const members = new Map<Id<"members">, Doc<"members">>();
  const outcomes = new Map<Id<"members">, Outcome>();
  for (const { member: id, minutes } of entries) {
    const member =
      members.get(id) ?? (await ctx.db.get("members", id)) ?? refuse("somebody has left");
    members.set(id, member);
    if (member.frozen) refuse(`${member.name} is frozen`);
    const before = outcomes.get(id) ?? { balance: member.balance, earned: 0, spent: 0 };
    const balance = before.balance + minutes;
    if (minutes < 0 && balance < -member.credit) refuse(`${member.name} has too few minutes`);
    outcomes.set(id, {
      balance,
      earned: before.earned + Math.max(minutes, 0),
      spent: before.spent + Math.max(-minutes, 0),
    });
  }
  return outcomes;
}

/** Books entries, whose minutes add up to zero: all of them or, if one is refused, nothing. */
export async function book(
  ctx: MutationCtx,
  kind: Doc<"bookings">["kind"],
  text: string,
  entries: Entry[],
): Promise<Id<"bookings">> {
  const outcomes = await checkEntries(ctx, entries);
  const at = Date.now();
  const booking = await ctx.db.insert("bookings", { kind, text, parts: entries.length, at });
  for (const entry of entries) await ctx.db.insert("entries", { booking, ...entry });
  const month = monthOf(at);
  for (const [member, { balance, earned, spent }] of outcomes) {
    await ctx.db.patch("members", member, { balance });
    const row = await findMonth(ctx, member, month);
    if (row === null) await ctx.db.insert("months", { member, month, earned, spent });
    else {
      const sums = { earned: row.earned + earned, spent: row.spent + spent };
      await ctx.db.patch("months", row._id, sums);
    }
  }
  return booking;
}

export async function transfer(ctx: MutationCtx, { kind, text, from, to, minutes }: Transfer) {
  return await book(ctx, kind, text, [
    { member: to, minutes },
    { member: from, minutes: -minutes },
  ]);
}

export function checkMinutes(minutes: number) {
  if (!Number.isInteger(minutes) || minutes <= 0) refuse("bad minutes");
}
