// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc, Id } from "./_generated/dataModel";
import { internalMutation } from "./_generated/server";
import type { MutationCtx } from "./_generated/server";
import { getChest } from "./model/chest";
import { monthOf } from "./model/ledger";

/*
 * Bookings that have fewer entries than parts are taken back. Each booking is looked at and taken
 * back in one transaction, and what is taken back is gone, so runs may meet. A long booking is taken
 * back in several steps: what is left of it is still too short for its parts.
 */

/** After so many documents the next transaction goes on. */
const DOCUMENTS = 600;

/** So many entries are taken back at a time. */
const ENTRIES = 400;

export const run = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    await repairFrom(ctx, 0);
    return null;
  },
});

/** Goes on with the bookings that were created at a time or later. */
export const goOn = internalMutation({
  args: { from: v.number() },
  returns: v.null(),
  handler: async (ctx, { from }) => {
    await repairFrom(ctx, from);
    return null;
  },
});

async function repairFrom(ctx: MutationCtx, from: number): Promise<void> {
  const bookings = ctx.db
    .query("bookings")
    .withIndex("by_creation_time", (q) => q.gte("_creationTime", from));
  let documents = 0;
  for await (const booking of bookings) {
    const { _id, _creationTime: created, parts } = booking;
    documents += 1;
    if (parts > 0) {
      const entries = await ctx.db
        .query("entries")
        .withIndex("by_booking", (q) => q.eq("booking", _id))
        .take(parts);
      documents += entries.length;
      if (entries.length < parts) {
        const some = entries.slice(0, ENTRIES);
        await takeBack(ctx, booking, some);
        documents += 5 * some.length;
        if (some.length < entries.length) {
          await ctx.scheduler.runAfter(0, internal.repairs.goOn, { from: created });
          return;
        }
        await remove(ctx, _id);
      }
    }
    // Others may have been created at the same time, so the next transaction begins with that time.
    if (documents >= DOCUMENTS && created > from) {
      await ctx.scheduler.runAfter(0, internal.repairs.goOn, { from: created });
      return;
    }
  }
}

/** Takes back entries of a booking: from the balances, from the months, and themselves. */
async function takeBack(
  ctx: MutationCtx,
  { at }: Doc<"bookings">,
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
}

async function takeFromBalance(
  ctx: MutationCtx,
  id: Id<"members">,
  minutes: number,
): Promise<void> {
  if (minutes === 0) return;
  const member = (await ctx.db.get("members", id)) ?? (await getChest(ctx));
  await ctx.db.patch("members", member._id, { balance: member.balance - minutes });
}

async function takeFromMonth(
  ctx: MutationCtx,
  member: Id<"members">,
  month: string,
  earned: number,
  spent: number,
): Promise<void> {
  const row = await ctx.db
    .query("months")
    .withIndex("by_member", (q) => q.eq("member", member).eq("month", month))
    .unique();
  if (row === null) return;
  const sums = { earned: row.earned - earned, spent: row.spent - spent };
  // A month without entries has no row.
  if (sums.earned === 0 && sums.spent === 0) await ctx.db.delete("months", row._id);
  else await ctx.db.patch("months", row._id, sums);
}

/** Removes a booking whose entries are gone. A task that it settled is done again. */
async function remove(ctx: MutationCtx, booking: Id<"bookings">): Promise<void> {
  const tasks = await ctx.db
    .query("tasks")
    .withIndex("by_booking", (q) => q.eq("booking", booking))
    .collect();
  for (const { _id } of tasks) {
    await ctx.db.patch("tasks", _id, { state: "done", booking: undefined });
  }
  await ctx.db.delete("bookings", booking);
}
