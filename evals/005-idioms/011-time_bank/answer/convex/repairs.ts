// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc } from "./_generated/dataModel";
import { internalMutation } from "./_generated/server";
import type { MutationCtx } from "./_generated/server";
import { getChest } from "./model/ledger";

const BATCH = 50;

/** Takes back all bookings of which only a part was entered. Runs at the same time do no harm. */
export const run = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    await ctx.scheduler.runAfter(0, internal.repairs.goOn, { cursor: null });
    return null;
  },
});

export const goOn = internalMutation({
  args: { cursor: v.nullable(v.string()) },
  returns: v.null(),
  handler: async (ctx, { cursor }) => {
    const page = await ctx.db.query("bookings").paginate({ cursor, numItems: BATCH });
    for (const booking of page.page) {
      const entries = await ctx.db
        .query("entries")
        .withIndex("by_booking", (q) => q.eq("booking", booking._id))
        .collect();
      if (entries.length < booking.parts) await takeBack(ctx, booking, entries);
    }
    if (!page.isDone) {
      await ctx.scheduler.runAfter(0, internal.repairs.goOn, { cursor: page.continueCursor });
    }
    return null;
  },
});

async function takeBack(ctx: MutationCtx, booking: Doc<"bookings">, entries: Doc<"entries">[]) {
  const month = new Date(booking.at).toISOString().slice(0, 7);
  for (const { _id, member: id, minutes } of entries) {
    const member =
      (await ctx.db.get("members", id)) ?? (await ctx.db.get("members", await getChest(ctx)));
    if (member !== null) {
      await ctx.db.patch("members", member._id, { balance: member.balance - minutes });
    }
    const row = await ctx.db
      .query("months")
      .withIndex("by_member", (q) => q.eq("member", id).eq("month", month))
      .unique();
    if (row !== null) {
      const earned = row.earned - Math.max(minutes, 0);
      const spent = row.spent - Math.max(-minutes, 0);
      if (earned === 0 && spent === 0) await ctx.db.delete("months", row._id);
      else await ctx.db.patch("months", row._id, { earned, spent });
    }
    await ctx.db.delete("entries", _id);
  }
  const tasks = await ctx.db
    .query("tasks")
    .withIndex("by_booking", (q) => q.eq("booking", booking._id))
    .collect();
  for (const { _id } of tasks) {
    await ctx.db.patch("tasks", _id, { state: "done", booking: undefined });
  }
  await ctx.db.delete("bookings", booking._id);
}
