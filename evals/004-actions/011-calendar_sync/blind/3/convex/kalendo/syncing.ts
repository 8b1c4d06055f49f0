// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import {
  internalAction,
  internalMutation,
  internalQuery,
  type MutationCtx,
} from "../_generated/server";
import { changeEvent } from "../model/events";
import { dropMissingEvents, listedEntry, takeEntry } from "../model/mirror";
import { beginSync, LOST_MS } from "../model/syncs";
import { readEvents, type KalendoEvent } from "./client";

/*
 * A run reads a calendar in passes. A pass reads all events or those that have changed, and is then the
 * calendar's last complete sync. Events that a full pass has not listed are hidden, and a second pass
 * reads what has changed in the meantime: what still is in the calendar comes back. What stays hidden
 * may have been moved, see dropMissingEvents.
 */

const CALENDARS_PER_BATCH = 100;
const PAGES_PER_ACTION = 50;
const ENTRIES_PER_MUTATION = 50;
const BATCH = 50;

const position = v.object({
  remote: v.string(),
  since: v.optional(v.string()),
  page: v.optional(v.string()),
});

/** Begins the sync of every connected calendar. */
export const all = internalMutation({
  args: { cursor: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { cursor }) => {
    const { page, isDone, continueCursor } = await ctx.db
      .query("calendars")
      .paginate({ cursor: cursor ?? null, numItems: CALENDARS_PER_BATCH });
    for (const { _id, remote } of page) {
      if (remote !== undefined) await beginSync(ctx, _id);
    }
    if (!isDone) {
      await ctx.scheduler.runAfter(0, internal.kalendo.syncing.all, { cursor: continueCursor });
    }
    return null;
  },
});

/** Goes on with a run, which was begun by beginSync. */
export const run = internalAction({
  args: { run: v.id("runs") },
  returns: v.null(),
  handler: async (ctx, { run: id }): Promise<null> => {
    try {
      for (let pages = 0; pages < PAGES_PER_ACTION; pages++) {
        const at: Infer<typeof position> | null = await ctx.runQuery(
          internal.kalendo.syncing.describe,
          { run: id },
        );
        if (at === null) return null;
        const page = await readEvents(at.remote, at);
        if (page === null) {
          await ctx.runMutation(internal.kalendo.syncing.readAll, { run: id });
          continue;
        }
        const entries = page.events.map(toEntry);
        for (let from = 0; from < entries.length; from += ENTRIES_PER_MUTATION) {
          const isAlive: boolean = await ctx.runMutation(internal.kalendo.syncing.take, {
            run: id,
            entries: entries.slice(from, from + ENTRIES_PER_MUTATION),
          });
          if (!isAlive) return null;
        }
        if (page.nextSync === undefined) {
          const { nextPage } = page;
          await ctx.runMutation(internal.kalendo.syncing.turnPage, { run: id, page: nextPage });
          continue;
        }
        let more = at.since === undefined;
        while (more) {
          more = await ctx.runMutation(internal.kalendo.syncing.hideUnlisted, { run: id });
        }
        const { nextSync } = page;
        await ctx.runMutation(internal.kalendo.syncing.endPass, { run: id, nextSync });
      }
      await ctx.runMutation(internal.kalendo.syncing.goOn, { run: id });
    } catch (error) {
      console.error("the sync broke off", id, error);
      await ctx.runMutation(internal.kalendo.syncing.breakOff, { run: id });
    }
    return null;
  },
});

function toEntry(event: KalendoEvent): Infer<typeof listedEntry> {
  const { id: remote, version } = event;
  if (event.deleted === true) {
    const { movedTo } = event;
    return { remote, version, deleted: true, ...(typeof movedTo === "string" ? { movedTo } : {}) };
  }
  const { title, start, end } = event;
  return { remote, version, title, start, end };
}

/** Where a run is to read, or null if it has ended. */
export const describe = internalQuery({
  args: { run: v.id("runs") },
  returns: v.nullable(position),
  handler: async (ctx, { run: id }) => {
    const found = await ctx.db.get("runs", id);
    if (found === null) return null;
    const calendar = await ctx.db.get("calendars", found.calendar);
    if (calendar?.remote === undefined) return null;
    return { remote: calendar.remote, since: found.since, page: found.page };
  },
});

/** Returns a run and its calendar, and notes that it was heard of. Null if it has ended or is lost. */
async function hear(
  ctx: MutationCtx,
  id: Id<"runs">,
): Promise<{ found: Doc<"runs">; calendar: Doc<"calendars"> } | null> {
  const found = await ctx.db.get("runs", id);
  if (found === null) return null;
  const calendar = await ctx.db.get("calendars", found.calendar);
  const now = Date.now();
  if (calendar === null || now - found.heardAt >= LOST_MS) {
    // Without its document, a lost run ends as soon as it looks where to read.
    await ctx.db.delete("runs", id);
    return null;
  }
  await ctx.db.patch("runs", id, { heardAt: now });
  return { found, calendar };
}

/** Begins the pass again, for all events: Kalendo no longer knows what has changed. */
export const readAll = internalMutation({
  args: { run: v.id("runs") },
  returns: v.null(),
  handler: async (ctx, { run: id }) => {
    if ((await hear(ctx, id)) === null) return null;
    await ctx.db.patch("runs", id, { since: undefined, page: undefined, startedAt: Date.now() });
    return null;
  },
});

/** Takes entries of a page over. Returns whether the run may go on. */
export const take = internalMutation({
  args: { run: v.id("runs"), entries: v.array(listedEntry) },
  returns: v.boolean(),
  handler: async (ctx, { run: id, entries }) => {
    const heard = await hear(ctx, id);
    if (heard === null) return false;
    for (const entry of entries) await takeEntry(ctx, heard.calendar, entry);
    return true;
  },
});

export const turnPage = internalMutation({
  args: { run: v.id("runs"), page: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { run: id, page }) => {
    if ((await hear(ctx, id)) !== null) await ctx.db.patch("runs", id, { page });
    return null;
  },
});

/** Hides events that a full pass has not listed. Returns whether there may be more. */
export const hideUnlisted = internalMutation({
  args: { run: v.id("runs") },
  returns: v.boolean(),
  handler: async (ctx, { run: id }) => {
    const heard = await hear(ctx, id);
    if (heard === null) return false;
    const { startedAt, calendar } = heard.found;
    const unlisted = await ctx.db
      .query("events")
      .withIndex("by_calendar_and_missing_and_seen", (q) =>
        q.eq("calendar", calendar).eq("missingSince", undefined).lt("seenAt", startedAt),
      )
      .take(BATCH);
    for (const event of unlisted) await changeEvent(ctx, event, { missingSince: Date.now() });
    if (unlisted.length > 0) await ctx.db.patch("runs", id, { hasHidden: true });
    return unlisted.length === BATCH;
  },
});

/** Completes a pass, and the run if no second pass is needed. */
export const endPass = internalMutation({
  args: { run: v.id("runs"), nextSync: v.string() },
  returns: v.null(),
  handler: async (ctx, { run: id, nextSync }) => {
    const heard = await hear(ctx, id);
    if (heard === null) return null;
    const { found, calendar } = heard;
    const now = Date.now();
    await ctx.db.patch("calendars", calendar._id, {
      nextSync,
      syncedAt: now,
      syncedFrom: found.startedAt,
    });
    if (await dropMissingEvents(ctx, calendar.owner)) {
      const { owner } = calendar;
      await ctx.scheduler.runAfter(0, internal.kalendo.syncing.dropMissing, { owner });
    }
    if (found.hasHidden === true) {
      await ctx.db.patch("runs", id, {
        since: nextSync,
        page: undefined,
        startedAt: now,
        hasHidden: undefined,
      });
    } else {
      await ctx.db.delete("runs", id);
    }
    return null;
  },
});

export const dropMissing = internalMutation({
  args: { owner: v.string() },
  returns: v.null(),
  handler: async (ctx, { owner }) => {
    if (await dropMissingEvents(ctx, owner)) {
      await ctx.scheduler.runAfter(0, internal.kalendo.syncing.dropMissing, { owner });
    }
    return null;
  },
});

/** Goes on in another action, since one may not take too long. */
export const goOn = internalMutation({
  args: { run: v.id("runs") },
  returns: v.null(),
  handler: async (ctx, { run: id }) => {
    if ((await hear(ctx, id)) !== null) {
      await ctx.scheduler.runAfter(0, internal.kalendo.syncing.run, { run: id });
    }
    return null;
  },
});

/** Ends a run that has failed, so that the next start need not wait. */
export const breakOff = internalMutation({
  args: { run: v.id("runs") },
  returns: v.null(),
  handler: async (ctx, { run: id }) => {
    if ((await ctx.db.get("runs", id)) !== null) await ctx.db.delete("runs", id);
    return null;
  },
});
