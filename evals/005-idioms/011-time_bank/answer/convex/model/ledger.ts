// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { refuse } from "../lib/attempt";
import type { Attempt } from "../lib/attempt";
import { findMember } from "../lib/session";

export type Transfer = {
  kind: Doc<"bookings">["kind"];
  text: string;
  from: Id<"members">;
  to: Id<"members">;
  minutes: number;
};

export const CHEST = "chest";

/** The chest has what those who left had, and owes what they owed. */
export async function getChest(ctx: MutationCtx) {
  const chest = await findMember(ctx, CHEST);
  if (chest !== null) return chest._id;
  return await ctx.db.insert("members", {
    subject: CHEST,
    name: "Chest",
    balance: 0,
    credit: Infinity,
    frozen: false,
  });
}

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

/** Why a member cannot get or give minutes; null if they can. */
export async function reasonAgainst(ctx: QueryCtx, id: Id<"members">, minutes: number) {
  const member = await ctx.db.get("members", id);
  if (member === null) return "somebody has left";
  if (member.frozen) return `${member.name} is frozen`;
  const isShort = minutes < 0 && member.balance + minutes < -member.credit;
  return isShort ? `${member.name} has too few minutes` : null;
}

/** Enters minutes for a member, who must be able to get or to give them. */
export async function enter(
  ctx: MutationCtx,
  booking: Id<"bookings">,
  id: Id<"members">,
  minutes: number,
) {
  const reason = await reasonAgainst(ctx, id, minutes);
  if (reason !== null) refuse(reason);
  const member = (await ctx.db.get("members", id)) ?? refuse("somebody has left");
  await ctx.db.insert("entries", { booking, member: id, minutes });
  await ctx.db.patch("members", id, { balance: member.balance + minutes });
  await addToMonth(ctx, id, minutes);
}

/** Books a transfer. If it is refused, nothing was written: an error that is caught undoes nothing. */
export async function transfer(
  ctx: MutationCtx,
  { kind, text, from, to, minutes }: Transfer,
): Promise<Attempt<Id<"bookings">>> {
  const reason =
    (await reasonAgainst(ctx, to, minutes)) ?? (await reasonAgainst(ctx, from, -minutes));
  if (reason !== null) return { ok: false, reason };
  const booking = await openBooking(ctx, kind, text, 2);
  await enter(ctx, booking, to, minutes);
  await enter(ctx, booking, from, -minutes);
  return { ok: true, value: booking };
}

export function checkMinutes(minutes: number) {
  if (!Number.isInteger(minutes) || minutes <= 0) refuse("bad minutes");
}
