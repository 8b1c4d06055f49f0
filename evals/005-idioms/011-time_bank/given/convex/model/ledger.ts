// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { refuse } from "../lib/attempt";

export type Transfer = {
  kind: Doc<"bookings">["kind"];
  text: string;
  from: Id<"members">;
  to: Id<"members">;
  minutes: number;
};

export async function openBooking(
  ctx: MutationCtx,
  kind: Doc<"bookings">["kind"],
  text: string,
  parts: number,
) {
  return await ctx.db.insert("bookings", { kind, text, parts, at: Date.now() });
}

async function addToMonth(ctx: MutationCtx, member: Id<"members">, minutes: number) {
  const month = new Date().toISOString().slice(0, 7);
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

/** Enters minutes for a member, who must be able to get or to give them. */
export async function enter(
  ctx: MutationCtx,
  booking: Id<"bookings">,
  id: Id<"members">,
  minutes: number,
) {
  const member = (await ctx.db.get("members", id)) ?? refuse("somebody has left");
  if (member.frozen) refuse(`${member.name} is frozen`);
  const balance = member.balance + minutes;
  if (minutes < 0 && balance < -member.credit) refuse(`${member.name} has too few minutes`);
  await ctx.db.insert("entries", { booking, member: id, minutes });
  await ctx.db.patch("members", id, { balance });
  await addToMonth(ctx, id, minutes);
}

export async function transfer(ctx: MutationCtx, { kind, text, from, to, minutes }: Transfer) {
  const booking = await openBooking(ctx, kind, text, 2);
  await enter(ctx, booking, to, minutes);
  await enter(ctx, booking, from, -minutes);
  return booking;
}

export function checkMinutes(minutes: number) {
  if (!Number.isInteger(minutes) || minutes <= 0) refuse("bad minutes");
}
