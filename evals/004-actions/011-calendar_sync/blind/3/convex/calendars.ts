// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, mutation, query } from "./_generated/server";
import { refuse } from "./lib/errors";
import { requireUser } from "./lib/session";
import { getOwnCalendar } from "./model/access";
import { removeEvent } from "./model/events";
import { beginSync, dropRun } from "./model/syncs";

const BATCH = 50;

/** Makes a calendar that exists only here. */
export const add = mutation({
  args: { name: v.string() },
  returns: v.id("calendars"),
  handler: async (ctx, { name }) => {
    const owner = await requireUser(ctx);
    return await ctx.db.insert("calendars", { owner, name });
  },
});

/** Connects a calendar of Kalendo, and fetches its events. */
export const connect = mutation({
  args: { name: v.string(), remote: v.string() },
  returns: v.id("calendars"),
  handler: async (ctx, { name, remote }) => {
    const owner = await requireUser(ctx);
    const connected = await ctx.db
      .query("calendars")
      .withIndex("by_owner_and_remote", (q) => q.eq("owner", owner).eq("remote", remote))
      .unique();
    if (connected !== null) refuse("connected");
    const calendar = await ctx.db.insert("calendars", { owner, name, remote });
    await beginSync(ctx, calendar);
    return calendar;
  },
});

/** Removes a calendar and its events, here only. */
export const disconnect = mutation({
  args: { calendar: v.id("calendars") },
  returns: v.null(),
  handler: async (ctx, { calendar: id }) => {
    const calendar = await getOwnCalendar(ctx, id);
    await dropRun(ctx, id);
    await ctx.db.delete("calendars", calendar._id);
    await ctx.scheduler.runAfter(0, internal.calendars.dropEvents, { calendar: id });
    return null;
  },
});

/** Drops what hangs on a removed calendar. Kalendo is told nothing. */
export const dropEvents = internalMutation({
  args: { calendar: v.id("calendars") },
  returns: v.null(),
  handler: async (ctx, { calendar }) => {
    const events = await ctx.db
      .query("events")
      .withIndex("by_calendar_and_start", (q) => q.eq("calendar", calendar))
      .take(BATCH);
    for (const event of events) await removeEvent(ctx, event);
    const changes = await ctx.db
      .query("changes")
      .withIndex("by_calendar", (q) => q.eq("calendar", calendar))
      .take(BATCH);
    for (const change of changes) await ctx.db.delete("changes", change._id);
    const gone = await ctx.db
      .query("gone")
      .withIndex("by_calendar", (q) => q.eq("calendar", calendar))
      .take(BATCH);
    for (const row of gone) await ctx.db.delete("gone", row._id);
    if ([events, changes, gone].some(({ length }) => length === BATCH)) {
      await ctx.scheduler.runAfter(0, internal.calendars.dropEvents, { calendar });
    }
    return null;
  },
});

export const list = query({
  args: {},
  handler: async (ctx) => {
    const owner = await requireUser(ctx);
    const calendars = await ctx.db
      .query("calendars")
      .withIndex("by_owner", (q) => q.eq("owner", owner))
      .take(100);
    return calendars.map(({ _id, name, remote, syncedAt }) => ({
      id: _id,
      name,
      isConnected: remote !== undefined,
      syncedAt: syncedAt ?? null,
    }));
  },
});
