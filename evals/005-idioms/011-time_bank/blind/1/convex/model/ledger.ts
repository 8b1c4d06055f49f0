// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { refuse } from "../lib/attempt";

/*
 * A refusal that a mutation catches undoes nothing of what was written before it. So all lines of a
 * booking are checked before anything of it is written.
 */

/** What an entry of a booking will be. */
export type Line = { member: Id<"members">; minutes: number };

export type Transfer = {
  kind: Doc<"bookings">["kind"];
  text: string;
  from: Id<"members">;
  to: Id<"members">;
  minutes: number;
};

/** Returns the month of a time, such as "2027-03". */
export function monthOf(at: number) {
  return new Date(at).toISOString().slice(0, 7);
}

/**
 * Refuses lines whose members, one after the other, are not able to get or to give the minutes. It
 * writes nothing but `balances`: what the members would have after the lines.
 */
export async function check(
  ctx: QueryCtx,
  lines: Line[],
  balances = new Map<Id<"members">, number>(),
) {
  for (const { member: id, minutes } of lines) {
    const member = (await ctx.db.get("members", id)) ?? refuse("somebody has left");
    if (member.frozen) refuse(`${member.name} is frozen`);
    const balance = (balances.get(id) ?? member.balance) + minutes;
    if (minutes < 0 && balance < -member.credit) refuse(`${member.name} has too few minutes`);
    balances.set(id, balance);
  }
}

/** Writes a booking whose lines were checked. */
export async function write(
  ctx: MutationCtx,
  kind: Doc<"bookings">["kind"],
  text: string,
  lines: Line[],
) {
  const at = Date.now();
  const booking = await ctx.db.insert("bookings", { kind, text, parts: lines.length, at });
  for (const line of lines) await enter(ctx, booking, line, monthOf(at));
  return booking;
}

async function enter(
  ctx: MutationCtx,
  booking: Id<"bookings">,
  { member: id, minutes }: Line,
  month: string,
) {
  const member = (await ctx.db.get("members", id)) ?? refuse("somebody has left");
  await ctx.db.insert("entries", { booking, member: id, minutes });
  await ctx.db.patch("members", id, { balance: member.balance + minutes });
  await addToMonth(ctx, id, month, minutes);
}

async function addToMonth(
  ctx: MutationCtx,
  member: Id<"members">,
  month: string,
  minutes: number,
) {
  const earned = Math.max(minutes, 0);
  const spent = Math.max(-minutes, 0);
  const row = await ctx.db
    .query("months")
    .withIndex("by_member", (q) => q.eq("member", member).eq("month", month))
    .unique();
  if (row === null) await ctx.db.insert("months", { member, month, earned, spent });
  else {
    const sums = { earned: row.earned + earned, spent: row.spent + spent };
    await ctx.db.patch("months", row._id, sums);
  }
}

/** Books minutes that one member gives another one. A refusal comes before anything is written. */
export async function transfer(ctx: MutationCtx, { kind, text, from, to, minutes }: Transfer) {
  const lines = [
    { member: to, minutes },
    { member: from, minutes: -minutes },
  ];
  await check(ctx, lines);
  return await write(ctx, kind, text, lines);
}

export function checkMinutes(minutes: number) {
  if (!Number.isInteger(minutes) || minutes <= 0) refuse("bad minutes");
}
