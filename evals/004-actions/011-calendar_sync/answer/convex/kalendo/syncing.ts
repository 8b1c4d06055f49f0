// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import { internalAction, internalMutation, type MutationCtx } from "../_generated/server";
import { addEvent, changeEvent, removeEvent } from "../model/events";
import { readEvents, type Page } from "./client";
import { LOST_MS } from "./pushing";

const CALENDARS_PER_RUN = 200;
const BATCH = 20;

const search = v.object({ page: v.optional(v.string()), since: v.optional(v.string()) });
const item = v.union(
  v.object({
    id: v.string(),
    version: v.number(),
    title: v.string(),
    start: v.number(),
    end: v.number(),
  }),
  v.object({
    id: v.string(),
    version: v.number(),
    deleted: v.literal(true),
    movedTo: v.optional(v.string()),
  }),
);
const part = { calendar: v.id("calendars"), key: v.string() };

/** Begins the sync of every connected calendar. */
export const all = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const calendars = await ctx.db.query("calendars").take(CALENDARS_PER_RUN);
    for (const { _id, remote } of calendars) {
      if (remote !== undefined) {
        await ctx.scheduler.runAfter(0, internal.kalendo.syncing.begin, { calendar: _id });
      }
    }
    return null;
  },
});

/** Begins a sync unless one is under way, and tells Kalendo again what it has not confirmed. */
export const begin = internalMutation({
  args: { calendar: v.id("calendars") },
  returns: v.null(),
  handler: async (ctx, { calendar: id }) => {
    const calendar = await ctx.db.get("calendars", id);
    if (calendar?.remote === undefined) return null;
    const now = Date.now();
    if (calendar.run !== undefined && now < calendar.run.heardAt + LOST_MS) return null;
    const edited = await ctx.db
      .query("events")
      .withIndex("by_calendar_and_edit", (q) => q.eq("calendar", id).gt("edit", ""))
      .take(BATCH);
    for (const { _id: event } of edited) {
      await ctx.scheduler.runAfter(0, internal.kalendo.pushing.pushEdit, { event });
    }
    const removed = await ctx.db
      .query("removals")
      .withIndex("by_calendar_and_confirmed", (q) => q.eq("calendar", id).eq("isConfirmed", false))
      .take(BATCH);
    for (const { _id: removal } of removed) {
      await ctx.scheduler.runAfter(0, internal.kalendo.pushing.pushRemoval, { removal });
    }
    await start(ctx, calendar, calendar.since);
    return null;
  },
});

async function start(ctx: MutationCtx, calendar: Doc<"calendars">, since: string | undefined) {
  const now = Date.now();
  const key = crypto.randomUUID();
  await ctx.db.patch("calendars", calendar._id, {
    run: { key, startedAt: now, heardAt: now, isFull: since === undefined },
  });
  await ctx.scheduler.runAfter(0, internal.kalendo.syncing.read, {
    calendar: calendar._id,
    key,
    remote: calendar.remote ?? "",
    search: since === undefined ? {} : { since },
  });
}

/** Reads a page, and hands it on. */
export const read = internalAction({
  args: { ...part, remote: v.string(), search },
  returns: v.null(),
  handler: async (ctx, { calendar, key, remote, search: wanted }) => {
    let page: Page | "expired";
    try {
      page = await readEvents(remote, wanted);
      if (page !== "expired") {
        const { events, nextPage, nextSync } = page;
        await ctx.runMutation(internal.kalendo.syncing.apply, {
          calendar,
          key,
          events: events.map((event) =>
            "deleted" in event
              ? {
                  id: event.id,
                  version: event.version,
                  deleted: true as const,
                  ...(event.movedTo === undefined ? {} : { movedTo: event.movedTo }),
                }
              : {
                  id: event.id,
                  version: event.version,
                  title: event.title,
                  start: event.start,
                  end: event.end,
                },
          ),
          ...(nextPage === undefined ? {} : { nextPage }),
          ...(nextSync === undefined ? {} : { nextSync }),
        });
        return null;
      }
    } catch (error) {
      console.warn("Kalendo", remote, error);
      page = { events: [] };
    }
    const isExpired = page === "expired";
    await ctx.runMutation(internal.kalendo.syncing.breakOff, { calendar, key, isExpired });
    return null;
  },
});

/** Ends a sync before it is complete; if its `since` is too old, a full one begins. */
export const breakOff = internalMutation({
  args: { ...part, isExpired: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { calendar: id, key, isExpired }) => {
    const calendar = await getRunning(ctx, id, key);
    if (calendar === null) return null;
    await ctx.db.patch("calendars", id, { run: undefined });
    if (isExpired) await start(ctx, calendar, undefined);
    return null;
  },
});

async function getRunning(
  ctx: MutationCtx,
  id: Id<"calendars">,
  key: string,
): Promise<(Doc<"calendars"> & { run: NonNullable<Doc<"calendars">["run"]> }) | null> {
  const calendar = await ctx.db.get("calendars", id);
  if (calendar?.run === undefined || calendar.run.key !== key) return null;
  return { ...calendar, run: calendar.run };
}

/** Takes over a page, and reads the next one, or ends the sync. */
export const apply = internalMutation({
  args: {
    ...part,
    events: v.array(item),
    nextPage: v.optional(v.string()),
    nextSync: v.optional(v.string()),
  },
  returns: v.null(),
  handler: async (ctx, { calendar: id, key, events, nextPage, nextSync }) => {
    const calendar = await getRunning(ctx, id, key);
    if (calendar === null) return null;
    for (const each of events) await applyItem(ctx, calendar, key, each);
    const run = { ...calendar.run, heardAt: Date.now() };
    await ctx.db.patch("calendars", id, { run });
    if (nextPage !== undefined) {
      await ctx.scheduler.runAfter(0, internal.kalendo.syncing.read, {
        calendar: id,
        key,
        remote: calendar.remote ?? "",
        search: { page: nextPage },
      });
    } else if (nextSync !== undefined) {
      if (run.isFull) {
        const position = { calendar: id, key, nextSync, cursor: null };
        await ctx.scheduler.runAfter(0, internal.kalendo.syncing.sweep, position);
      } else {
        await finish(ctx, id, nextSync);
      }
    }
    return null;
  },
});

async function finish(ctx: MutationCtx, id: Id<"calendars">, since: string): Promise<void> {
  await ctx.db.patch("calendars", id, { since, run: undefined, syncedAt: Date.now() });
}

async function applyItem(
  ctx: MutationCtx,
  calendar: Doc<"calendars">,
  key: string,
  each: Infer<typeof item>,
): Promise<void> {
  const { owner, _id } = calendar;
  const { id: remote, version } = each;
  const removal = await ctx.db
    .query("removals")
    .withIndex("by_owner_and_remote", (q) => q.eq("owner", owner).eq("remote", remote))
    .first();
  if (removal !== null) return;
  const event = await ctx.db
    .query("events")
    .withIndex("by_owner_and_remote", (q) => q.eq("owner", owner).eq("remote", remote))
    .unique();
  if ("deleted" in each) {
    // The event may have come to another calendar in the meantime, by that calendar's sync.
    if (event === null || event.calendar !== _id || version < (event.version ?? 0)) return;
    const { movedTo } = each;
    const target =
      movedTo === undefined
        ? null
        : await ctx.db
            .query("calendars")
            .withIndex("by_owner_and_remote", (q) => q.eq("owner", owner).eq("remote", movedTo))
            .unique();
    if (target === null) await removeEvent(ctx, event);
    else await changeEvent(ctx, event, { calendar: target._id, version, placedAt: Date.now() });
    return;
  }
  const { title, start: from, end } = each;
  const content = { title, start: from, end };
  const place = { calendar: _id, version, seenBy: key, placedAt: Date.now() };
  if (event === null) {
    await addEvent(ctx, { owner, remote, ...content, ...place });
  } else if (version < (event.version ?? 0)) {
    if (event.calendar === _id) await changeEvent(ctx, event, { seenBy: key });
  } else {
    await changeEvent(ctx, event, event.edit === undefined ? { ...content, ...place } : place);
  }
}

/** After a full sync removes the events of the calendar that it has not found. */
export const sweep = internalMutation({
  args: { ...part, nextSync: v.string(), cursor: v.nullable(v.string()) },
  returns: v.null(),
  handler: async (ctx, { calendar: id, key, nextSync, cursor }) => {
    const calendar = await getRunning(ctx, id, key);
    if (calendar === null) return null;
    const { startedAt } = calendar.run;
    const { page, isDone, continueCursor } = await ctx.db
      .query("events")
      .withIndex("by_calendar_and_start", (q) => q.eq("calendar", id))
      .paginate({ cursor, numItems: BATCH });
    for (const event of page) {
      const isLate = event.placedAt !== undefined && event.placedAt >= startedAt;
      if (event.seenBy !== key && !isLate) await removeEvent(ctx, event);
    }
    if (isDone) {
      await finish(ctx, id, nextSync);
      return null;
    }
    await ctx.db.patch("calendars", id, { run: { ...calendar.run, heardAt: Date.now() } });
    const position = { calendar: id, key, nextSync, cursor: continueCursor };
    await ctx.scheduler.runAfter(0, internal.kalendo.syncing.sweep, position);
    return null;
  },
});
