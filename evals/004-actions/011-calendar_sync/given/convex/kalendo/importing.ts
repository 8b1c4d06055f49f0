// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalAction, internalMutation, internalQuery } from "../_generated/server";
import { addEvent, removeEvent } from "../model/events";
import { readEvents, type KalendoEvent } from "./client";

const CALENDARS_PER_RUN = 200;

/** Imports a calendar: its events are deleted, and inserted as Kalendo has them. */
export const run = internalAction({
  args: { calendar: v.id("calendars") },
  returns: v.null(),
  handler: async (ctx, { calendar }) => {
    const remote: string | null = await ctx.runQuery(internal.kalendo.importing.remoteOf, {
      calendar,
    });
    if (remote === null) return null;
    const events: KalendoEvent[] = [];
    let page = await readEvents(remote);
    events.push(...page.events);
    while (page.nextPage !== undefined) {
      page = await readEvents(remote, page.nextPage);
      events.push(...page.events);
    }
    await ctx.runMutation(internal.kalendo.importing.replaceAll, {
      calendar,
      events: events.map(({ id, title, start, end }) => ({ remote: id, title, start, end })),
    });
    return null;
  },
});

export const remoteOf = internalQuery({
  args: { calendar: v.id("calendars") },
  returns: v.nullable(v.string()),
  handler: async (ctx, { calendar }) =>
    (await ctx.db.get("calendars", calendar))?.remote ?? null,
});

export const replaceAll = internalMutation({
  args: {
    calendar: v.id("calendars"),
    events: v.array(
      v.object({ remote: v.string(), title: v.string(), start: v.number(), end: v.number() }),
    ),
  },
  returns: v.null(),
  handler: async (ctx, { calendar: id, events }) => {
    const calendar = await ctx.db.get("calendars", id);
    if (calendar === null) return null;
    const former = await ctx.db
      .query("events")
      .withIndex("by_calendar_and_start", (q) => q.eq("calendar", id))
      .collect();
    for (const event of former) await removeEvent(ctx, event);
    for (const event of events) {
      await addEvent(ctx, { owner: calendar.owner, calendar: id, ...event });
    }
    await ctx.db.patch("calendars", id, { syncedAt: Date.now() });
    return null;
  },
});

/** Begins the import of every connected calendar. */
export const all = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const calendars = await ctx.db.query("calendars").take(CALENDARS_PER_RUN);
    for (const { _id, remote } of calendars) {
      if (remote !== undefined) {
        await ctx.scheduler.runAfter(0, internal.kalendo.importing.run, { calendar: _id });
      }
    }
    return null;
  },
});
