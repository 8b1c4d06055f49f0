// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { MINUTE_MS } from "../lib/time";

/** Of what nothing was heard for so long is lost: runs, and requests. */
export const LOST_MS = 15 * MINUTE_MS;

/** Begins the sync of a connected calendar, unless one is under way. */
export async function beginSync(ctx: MutationCtx, id: Id<"calendars">): Promise<void> {
  const calendar = await ctx.db.get("calendars", id);
  if (calendar === null) return;
  const now = Date.now();
  const current = await getRun(ctx, id);
  if (current !== null && now - current.heardAt < LOST_MS) return;
  if (current !== null) await ctx.db.delete("runs", current._id);
  const run = await ctx.db.insert("runs", {
    calendar: id,
    startedAt: now,
    heardAt: now,
    since: calendar.nextSync,
  });
  await ctx.scheduler.runAfter(0, internal.kalendo.syncing.run, { run });
  const untold = await ctx.db
    .query("changes")
    .withIndex("by_calendar", (q) => q.eq("calendar", id))
    .first();
  if (untold !== null) {
    await ctx.scheduler.runAfter(0, internal.kalendo.telling.again, { calendar: id });
  }
}

/** Ends the run of a calendar, if there is one. */
export async function dropRun(ctx: MutationCtx, id: Id<"calendars">): Promise<void> {
  const run = await getRun(ctx, id);
  if (run !== null) await ctx.db.delete("runs", run._id);
}

async function getRun(ctx: MutationCtx, calendar: Id<"calendars">) {
  return await ctx.db
    .query("runs")
    .withIndex("by_calendar", (q) => q.eq("calendar", calendar))
    .unique();
}
