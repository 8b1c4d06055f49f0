// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import type { Id } from "../_generated/dataModel";
import { internalAction, internalMutation, type ActionCtx } from "../_generated/server";
import { MINUTE_MS } from "../lib/time";
import { removeEvent } from "../model/events";
import { bring, sweepUnseen, takeOut } from "../model/listing";
import { settleSearches } from "../model/places";
import { beginSync, hearOf } from "../model/runs";
import { kalendoEvent, readEvents, type Page } from "./client";

const CALENDARS_PER_RUN = 100;
const BATCH = 50;

/** An action may take ten minutes; after these another one goes on. */
const HAND_OVER_MS = 5 * MINUTE_MS;

const theRun = { calendar: v.id("calendars"), run: v.number() };

type Run = { calendar: Id<"calendars">; run: number };
type Resume = { page: string; isFull: boolean };

/** Syncs a calendar: reads pages, and applies each. */
export const run = internalAction({
  args: { ...theRun, resume: v.optional(v.object({ page: v.string(), isFull: v.boolean() })) },
  returns: v.null(),
  handler: async (ctx, { calendar, run: number, resume }): Promise<null> => {
    try {
      await readPages(ctx, { calendar, run: number }, resume);
    } catch (error) {
      console.error("A sync broke off.", error);
      await ctx.runMutation(internal.kalendo.importing.breakOff, { calendar, run: number });
    }
    return null;
  },
});

async function readPages(ctx: ActionCtx, current: Run, resume: Resume | undefined): Promise<void> {
  const handOverAt = Date.now() + HAND_OVER_MS;
  const from: { remote: string; since: string | null } | null = await ctx.runMutation(
    internal.kalendo.importing.open,
    current,
  );
  if (from === null) return;
  const { remote, since } = from;
  let isFull = resume === undefined ? since === null : resume.isFull;
  let page: Page | null;
  if (resume !== undefined) page = await readEvents(remote, { page: resume.page });
  else page = await readEvents(remote, since === null ? {} : { since });
  for (;;) {
    if (page === null) {
      if (isFull) throw new Error("Kalendo does not list all events");
      isFull = true;
      page = await readEvents(remote, {});
      continue;
    }
    const { events, nextPage, nextSync } = page;
    const isCurrent: boolean = await ctx.runMutation(internal.kalendo.importing.take, {
      ...current,
      isFull,
      events,
    });
    if (!isCurrent) return;
    if (nextPage === undefined) {
      await finish(ctx, current, isFull, nextSync);
      return;
    }
    if (Date.now() >= handOverAt) {
      await ctx.scheduler.runAfter(0, internal.kalendo.importing.run, {
        ...current,
        resume: { page: nextPage, isFull },
      });
      return;
    }
    page = await readEvents(remote, { page: nextPage });
  }
}

async function finish(
  ctx: ActionCtx,
  current: Run,
  isFull: boolean,
  nextSync: string | undefined,
): Promise<void> {
  let isMore = isFull;
  while (isMore) {
    isMore = await ctx.runMutation(internal.kalendo.importing.sweep, current);
  }
  await ctx.runMutation(internal.kalendo.importing.complete, { ...current, nextSync });
}

/** From where a run has to read; null if it is not the calendar's run any more. */
export const open = internalMutation({
  args: theRun,
  returns: v.nullable(v.object({ remote: v.string(), since: v.nullable(v.string()) })),
  handler: async (ctx, args) => {
    const current = await hearOf(ctx, args.calendar, args.run);
    if (current === null) return null;
    return { remote: current.remote, since: current.sync.since ?? null };
  },
});

/** Applies a page. Returns whether the run may go on. */
export const take = internalMutation({
  args: { ...theRun, isFull: v.boolean(), events: v.array(kalendoEvent) },
  returns: v.boolean(),
  handler: async (ctx, { calendar, run: number, isFull, events }) => {
    const current = await hearOf(ctx, calendar, number);
    if (current === null) return false;
    for (const event of events) {
      if ("deleted" in event) await takeOut(ctx, current, event);
      else await bring(ctx, current, event, isFull);
    }
    return true;
  },
});

/** Takes out some of what all pages together did not list. Returns whether there is more. */
export const sweep = internalMutation({
  args: theRun,
  returns: v.boolean(),
  handler: async (ctx, args) => {
    const current = await hearOf(ctx, args.calendar, args.run);
    return current !== null && (await sweepUnseen(ctx, current));
  },
});

export const complete = internalMutation({
  args: { ...theRun, nextSync: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { calendar, run: number, nextSync }) => {
    const current = await hearOf(ctx, calendar, number);
    if (current === null) return null;
    await ctx.db.patch("syncs", current.sync._id, {
      since: nextSync,
      heardAt: undefined,
      search: undefined,
    });
    await ctx.db.patch("calendars", calendar, { syncedAt: Date.now() });
    await settleSearches(ctx, current.calendar.owner, calendar, number);
    return null;
  },
});

/** A run has failed. The next one reads from where the last complete one ended. */
export const breakOff = internalMutation({
  args: theRun,
  returns: v.null(),
  handler: async (ctx, args) => {
    const current = await hearOf(ctx, args.calendar, args.run);
    if (current !== null) {
      await ctx.db.patch("syncs", current.sync._id, { heardAt: undefined, search: undefined });
    }
    return null;
  },
});

/** Removes what was found in no calendar. */
export const endSearch = internalMutation({
  args: { search: v.id("searches") },
  returns: v.null(),
  handler: async (ctx, { search }) => {
    const events = await ctx.db
      .query("events")
      .withIndex("by_away", (q) => q.eq("away", search))
      .take(BATCH);
    for (const event of events) await removeEvent(ctx, event);
    if (events.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.kalendo.importing.endSearch, { search });
    } else if ((await ctx.db.get("searches", search)) !== null) {
      await ctx.db.delete("searches", search);
    }
    return null;
  },
});

/** Begins the sync of every connected calendar. */
export const all = internalMutation({
  args: { cursor: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { cursor }) => {
    const { page, isDone, continueCursor } = await ctx.db
      .query("calendars")
      .paginate({ cursor: cursor ?? null, numItems: CALENDARS_PER_RUN });
    for (const { _id } of page) await beginSync(ctx, _id);
    if (!isDone) {
      await ctx.scheduler.runAfter(0, internal.kalendo.importing.all, { cursor: continueCursor });
    }
    return null;
  },
});
