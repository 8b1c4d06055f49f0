// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalAction, internalMutation } from "../_generated/server";
import { merge } from "../model/merging";
import { hear, settle, startSync } from "../model/runs";
import { kalendoChange, readEvents, type Page } from "./client";

const BATCH = 100;

const runArgs = { calendar: v.id("calendars"), run: v.number() };

/** Where a run is: without `since` it reads all events. */
const place = {
  ...runArgs,
  remote: v.string(),
  since: v.nullable(v.string()),
  page: v.nullable(v.string()),
};

/** Reads a page. */
export const step = internalAction({
  args: place,
  returns: v.null(),
  handler: async (ctx, args): Promise<null> => {
    const { calendar, run } = args;
    let page: Page | null;
    try {
      page = await readEvents(args.remote, args.since, args.page);
    } catch (error) {
      console.error(error);
      await ctx.runMutation(internal.kalendo.syncing.breakOff, { calendar, run });
      return null;
    }
    try {
      if (page === null) await ctx.runMutation(internal.kalendo.syncing.readAll, args);
      else await ctx.runMutation(internal.kalendo.syncing.enter, { ...args, read: page });
    } catch (error) {
      console.error(error);
      await ctx.runMutation(internal.kalendo.syncing.breakOff, { calendar, run });
    }
    return null;
  },
});

/** `since` was too old: the run begins anew. */
export const readAll = internalMutation({
  args: place,
  returns: v.null(),
  handler: async (ctx, args) => {
    if ((await hear(ctx, args.calendar, args.run)) === null) return null;
    await ctx.scheduler.runAfter(0, internal.kalendo.syncing.step, {
      ...args,
      since: null,
      page: null,
    });
    return null;
  },
});

/** Enters what a page has, and goes on. */
export const enter = internalMutation({
  args: {
    ...place,
    read: v.object({
      events: v.array(kalendoChange),
      nextPage: v.optional(v.string()),
      nextSync: v.optional(v.string()),
    }),
  },
  returns: v.null(),
  handler: async (ctx, { read, ...args }) => {
    const calendar = await hear(ctx, args.calendar, args.run);
    if (calendar === null) return null;
    for (const change of read.events) await merge(ctx, calendar, args.run, change);
    if (read.nextPage !== undefined) {
      await ctx.scheduler.runAfter(0, internal.kalendo.syncing.step, {
        ...args,
        page: read.nextPage,
      });
    } else if (read.nextSync !== undefined) {
      await ctx.scheduler.runAfter(0, internal.kalendo.syncing.finish, {
        calendar: args.calendar,
        run: args.run,
        nextSync: read.nextSync,
        isFull: args.since === null,
      });
    }
    return null;
  },
});

/** Marks what a run that read all events has not seen, and ends the run. */
export const finish = internalMutation({
  args: { ...runArgs, nextSync: v.string(), isFull: v.boolean() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const calendar = await hear(ctx, args.calendar, args.run);
    if (calendar === null) return null;
    const now = Date.now();
    if (args.isFull) {
      const unseen = await ctx.db
        .query("events")
        .withIndex("by_calendar_and_seen", (q) =>
          q.eq("calendar", args.calendar).lt("seen", args.run),
        )
        .take(BATCH);
      for (const { _id, leftAt } of unseen) {
        await ctx.db.patch("events", _id, { seen: args.run, leftAt: leftAt ?? now });
      }
      if (unseen.length === BATCH) {
        await ctx.scheduler.runAfter(0, internal.kalendo.syncing.finish, args);
        return null;
      }
    }
    await ctx.db.patch("calendars", args.calendar, {
      since: args.nextSync,
      syncedAt: now,
      heardAt: undefined,
      completeRun: args.run,
    });
    await settle(ctx, calendar.owner);
    return null;
  },
});

export const breakOff = internalMutation({
  args: runArgs,
  returns: v.null(),
  handler: async (ctx, { calendar, run }) => {
    if ((await hear(ctx, calendar, run)) === null) return null;
    await ctx.db.patch("calendars", calendar, { heardAt: undefined });
    return null;
  },
});

export const settleMore = internalMutation({
  args: { owner: v.string() },
  returns: v.null(),
  handler: async (ctx, { owner }) => {
    await settle(ctx, owner);
    return null;
  },
});

/** Begins the sync of every connected calendar. */
export const all = internalMutation({
  args: { after: v.optional(v.number()) },
  returns: v.null(),
  handler: async (ctx, { after }) => {
    const calendars = await ctx.db
      .query("calendars")
      .withIndex("by_creation_time", (q) => q.gt("_creationTime", after ?? 0))
      .take(BATCH);
    for (const { _id } of calendars) {
      await ctx.scheduler.runAfter(0, internal.kalendo.syncing.start, { calendar: _id });
    }
    const last = calendars.at(-1);
    if (last !== undefined && calendars.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.kalendo.syncing.all, { after: last._creationTime });
    }
    return null;
  },
});

export const start = internalMutation({
  args: { calendar: v.id("calendars") },
  returns: v.null(),
  handler: async (ctx, { calendar }) => {
    await startSync(ctx, calendar);
    return null;
  },
});
