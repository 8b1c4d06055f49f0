// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { SILENCE_MS } from "../lib/time";

/** A run of a calendar's sync that may change something. */
export type CurrentRun = { calendar: Doc<"calendars">; remote: string; sync: Doc<"syncs"> };

export async function getSync(
  ctx: QueryCtx,
  calendar: Id<"calendars">,
): Promise<Doc<"syncs"> | null> {
  return await ctx.db
    .query("syncs")
    .withIndex("by_calendar", (q) => q.eq("calendar", calendar))
    .unique();
}

function isRunning({ heardAt }: Doc<"syncs">): boolean {
  return heardAt !== undefined && Date.now() - heardAt < SILENCE_MS;
}

/** Begins the sync of a calendar, if it is connected and no run is under way. */
export async function beginSync(ctx: MutationCtx, id: Id<"calendars">): Promise<void> {
  const calendar = await ctx.db.get("calendars", id);
  if (calendar === null || calendar.remote === undefined) return;
  const sync = await getSync(ctx, id);
  const now = Date.now();
  let run = 1;
  if (sync === null) {
    await ctx.db.insert("syncs", { calendar: id, run, startedAt: now, heardAt: now });
  } else {
    if (isRunning(sync)) return;
    run = sync.run + 1;
    await ctx.db.patch("syncs", sync._id, {
      run,
      startedAt: now,
      heardAt: now,
      search: undefined,
    });
  }
  const push = await ctx.db
    .query("pushes")
    .withIndex("by_calendar", (q) => q.eq("calendar", id))
    .first();
  if (push !== null) {
    await ctx.scheduler.runAfter(0, internal.kalendo.telling.again, { calendar: id });
  }
  await ctx.scheduler.runAfter(0, internal.kalendo.importing.run, { calendar: id, run });
}

/**
 * Notes that something was heard of a run. Null if the run is lost or over, or its calendar is not
 * connected any more: then it must not change anything.
 */
export async function hearOf(
  ctx: MutationCtx,
  id: Id<"calendars">,
  run: number,
): Promise<CurrentRun | null> {
  const calendar = await ctx.db.get("calendars", id);
  if (calendar === null || calendar.remote === undefined) return null;
  const sync = await getSync(ctx, id);
  if (sync === null || sync.run !== run || !isRunning(sync)) return null;
  await ctx.db.patch("syncs", sync._id, { heardAt: Date.now() });
  return { calendar, remote: calendar.remote, sync };
}
