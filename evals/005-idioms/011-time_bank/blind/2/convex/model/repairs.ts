// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { refuse } from "../lib/attempt";
import { getChest } from "./chest";
import { findMonth, monthOf } from "./ledger";

/** How many entries are taken back at once. */
const MAX_ENTRIES = 200;

/** Deletes an entry. Balance and month are then what they would be without it. */
async function takeBackEntry(ctx: MutationCtx, entry: Doc<"entries">, month: string) {
  const { _id, member: id, minutes } = entry;
  await ctx.db.delete("entries", _id);

  const hasLeft = (await ctx.db.get("members", id)) === null;
  const holderId = hasLeft ? await getChest(ctx) : id;
  const holder = (await ctx.db.get("members", holderId)) ?? refuse("somebody has left");
  await ctx.db.patch("members", holderId, { balance: holder.balance - minutes });

  const row = await findMonth(ctx, id, month);
  if (row === null) return;
  const earned = row.earned - Math.max(minutes, 0);
  const spent = row.spent - Math.max(-minutes, 0);
  // No entry has zero minutes, so without minutes there is no other entry in this month.
  if (earned === 0 && spent === 0) await ctx.db.delete("months", row._id);
  else await ctx.db.patch("months", row._id, { earned, spent });
}

/**
 * Takes a booking back if it has fewer entries than parts. Returns whether that is done: of a booking
 * with many entries only some go at once, and what is left still has fewer entries than parts.
 */
export async function takeBack(ctx: MutationCtx, id: Id<"bookings">): Promise<boolean> {
  const booking = await ctx.db.get("bookings", id);
  if (booking === null || booking.parts <= 0) return true;
  const entries = await ctx.db
    .query("entries")
    .withIndex("by_booking", (q) => q.eq("booking", id))
    .take(booking.parts);
  if (entries.length >= booking.parts) return true;

  const month = monthOf(booking.at);
  for (const entry of entries.slice(0, MAX_ENTRIES)) await takeBackEntry(ctx, entry, month);
  if (entries.length > MAX_ENTRIES) return false;

  const tasks = await ctx.db
    .query("tasks")
    .withIndex("by_booking", (q) => q.eq("booking", id))
    .collect();
  for (const task of tasks) {
    await ctx.db.patch("tasks", task._id, { state: "done", booking: undefined });
  }
  await ctx.db.delete("bookings", id);
  return true;
}
