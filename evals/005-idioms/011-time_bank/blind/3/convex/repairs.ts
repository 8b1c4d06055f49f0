// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc, Id } from "./_generated/dataModel";
import { internalMutation } from "./_generated/server";
import type { MutationCtx } from "./_generated/server";
import { getChest } from "./model/chest";
import { findMonth, monthOf } from "./model/ledger";

/*
 * Calls that were refused have left bookings behind that have fewer entries than parts. Each is taken
 * back in one transaction, after which it is gone: it does no harm to look for them twice or at once.
 */

/** How many documents a run handles before it leaves the rest to the next one; the last booking of a
 * run may be large, and has as much room again as one mutation needed to write it. */
const BUDGET = 900;

/** Takes all bookings back that are not complete, and goes on by itself until there are none. */
export const run = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx): Promise<null> => {
    await repairAfter(ctx, 0);
    return null;
  },
});

export const goOn = internalMutation({
  args: { after: v.number() },
  returns: v.null(),
  handler: async (ctx, { after }): Promise<null> => {
    await repairAfter(ctx, after);
    return null;
  },
});

/** Repairs what was created after a moment. */
async function repairAfter(ctx: MutationCtx, after: number): Promise<void> {
  const bookings = ctx.db
    .query("bookings")
    .withIndex("by_creation_time", (q) => q.gt("_creationTime", after));
  let last = after;
  let handled = 0;
  for await (const booking of bookings) {
    // What was created at the same moment stays in one run.
    if (handled >= BUDGET && booking._creationTime > last) {
      await ctx.scheduler.runAfter(0, internal.repairs.goOn, { after: last });
      return;
    }
    last = booking._creationTime;
    handled += await repair(ctx, booking);
  }
}

/** Takes a booking back unless it is complete. Returns about how many documents that took. */
async function repair(ctx: MutationCtx, booking: Doc<"bookings">): Promise<number> {
  const { _id, parts } = booking;
  if (parts === 0) return 1;
  const entries = await ctx.db
    .query("entries")
    .withIndex("by_booking", (q) => q.eq("booking", _id))
    .take(parts);
  if (entries.length === parts) return 1 + parts;
  await takeBack(ctx, booking, entries);
  return 3 + 6 * entries.length;
}

async function takeBack(
  ctx: MutationCtx,
  { _id: booking, at }: Doc<"bookings">,
  entries: Doc<"entries">[],
): Promise<void> {
  const sums = new Map<Id<"members">, { earned: number; spent: number }>();
  for (const { _id, member, minutes } of entries) {
    const { earned, spent } = sums.get(member) ?? { earned: 0, spent: 0 };
    sums.set(member, {
      earned: earned + Math.max(minutes, 0),
      spent: spent + Math.max(-minutes, 0),
    });
    await ctx.db.delete("entries", _id);
  }
  const month = monthOf(at);
  for (const [member, { earned, spent }] of sums) {
    await takeFromBalance(ctx, member, earned - spent);
    await takeFromMonth(ctx, member, month, earned, spent);
  }
  const tasks = await ctx.db
    .query("tasks")
    .withIndex("by_booking", (q) => q.eq("booking", booking))
    .collect();
  for (const { _id } of tasks) {
    await ctx.db.patch("tasks", _id, { state: "done", booking: undefined });
  }
  await ctx.db.delete("bookings", booking);
}

/** Takes minutes from a member or, if they have left, from the chest. */
async function takeFromBalance(
  ctx: MutationCtx,
  id: Id<"members">,
  minutes: number,
): Promise<void> {
  if (minutes === 0) return;
  const member = (await ctx.db.get("members", id)) ?? (await getChest(ctx));
  await ctx.db.patch("members", member._id, { balance: member.balance - minutes });
}

/** A month in which nothing is left has no row, as if there never had been anything. */
async function takeFromMonth(
  ctx: MutationCtx,
  member: Id<"members">,
  month: string,
  earned: number,
  spent: number,
): Promise<void> {
  const row = await findMonth(ctx, member, month);
  if (row === null) return;
  const sums = { earned: row.earned - earned, spent: row.spent - spent };
  if (sums.earned === 0 && sums.spent === 0) await ctx.db.delete("months", row._id);
  else await ctx.db.patch("months", row._id, sums);
}
