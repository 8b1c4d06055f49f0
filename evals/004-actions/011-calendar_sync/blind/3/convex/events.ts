// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import type { Doc } from "./_generated/dataModel";
import { refuse } from "./lib/errors";
import { requireUser } from "./lib/session";
import { DAY_MS } from "./lib/time";
import { getOwnCalendar, getOwnEvent } from "./model/access";
import { changeForUser, removeForUser } from "./model/changes";
import { addEvent } from "./model/events";

const shownEvent = v.object({
  id: v.id("events"),
  calendar: v.id("calendars"),
  title: v.string(),
  start: v.number(),
  end: v.number(),
});

const show = ({ _id: id, calendar, title, start, end }: Doc<"events">) => ({
  id,
  calendar,
  title,
  start,
  end,
});

/** Enters an event in a calendar that exists only here. */
export const create = mutation({
  args: { calendar: v.id("calendars"), title: v.string(), start: v.number(), end: v.number() },
  returns: v.null(),
  handler: async (ctx, { calendar: id, ...fields }) => {
    const { owner, remote } = await getOwnCalendar(ctx, id);
    if (remote !== undefined) refuse("made_at_kalendo");
    if (fields.end < fields.start) refuse("invalid");
    await addEvent(ctx, { owner, calendar: id, ...fields });
    return null;
  },
});

export const update = mutation({
  args: {
    event: v.id("events"),
    title: v.optional(v.string()),
    start: v.optional(v.number()),
    end: v.optional(v.number()),
  },
  returns: v.null(),
  handler: async (ctx, { event: id, ...change }) => {
    const event = await getOwnEvent(ctx, id);
    const { start, end } = { ...event, ...change };
    if (end < start) refuse("invalid");
    await changeForUser(ctx, event, change);
    return null;
  },
});

export const remove = mutation({
  args: { event: v.id("events") },
  returns: v.null(),
  handler: async (ctx, { event }) => {
    await removeForUser(ctx, await getOwnEvent(ctx, event));
    return null;
  },
});

/** The events of the seven days from a moment on, of all calendars of the user. */
export const week = query({
  args: { from: v.number() },
  returns: v.array(shownEvent),
  handler: async (ctx, { from }) => {
    const owner = await requireUser(ctx);
    const events = await ctx.db
      .query("events")
      .withIndex("by_owner_and_missing_and_start", (q) =>
        q
          .eq("owner", owner)
          .eq("missingSince", undefined)
          .gte("start", from)
          .lt("start", from + 7 * DAY_MS),
      )
      .take(500);
    return events.map(show);
  },
});
