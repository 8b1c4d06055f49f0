// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import type { GoneEvent, ListedEvent } from "../kalendo/client";
import { addEvent, changeEvent, removeEvent, type Fields } from "./events";
import { bury, getConnected, isBuried, leave, moveEvent, openSearch } from "./places";
import { getPush } from "./pushes";
import type { CurrentRun } from "./runs";

/*
 * What a sync does with what Kalendo lists. An event may be listed twice, by two calendars and in any
 * order: `version` tells how new its content here is, and `placed` how new its place.
 */

const BATCH = 50;

/** A user's event with an id of Kalendo. If the former import has left several, they become one. */
async function findEvent(
  ctx: MutationCtx,
  owner: string,
  remote: string,
  push: Doc<"pushes"> | null,
): Promise<Doc<"events"> | null> {
  const found = await ctx.db
    .query("events")
    .withIndex("by_owner_and_remote", (q) => q.eq("owner", owner).eq("remote", remote))
    .collect();
  const events: Doc<"events">[] = [];
  for (const event of found) {
    // That of a disconnected calendar is about to be removed.
    if ((await ctx.db.get("calendars", event.calendar)) === null) await removeEvent(ctx, event);
    else events.push(event);
  }
  const kept = events.find(({ _id }) => _id === push?.event) ?? events[0];
  if (kept === undefined) return null;
  for (const copy of events) {
    if (copy._id === kept._id) continue;
    const notes = await ctx.db
      .query("notes")
      .withIndex("by_event", (q) => q.eq("event", copy._id))
      .collect();
    for (const { _id } of notes) await ctx.db.patch("notes", _id, { event: kept._id });
    await removeEvent(ctx, copy);
  }
  return kept;
}

/** A calendar has an event. */
export async function bring(
  ctx: MutationCtx,
  run: CurrentRun,
  listed: ListedEvent,
  isFull: boolean,
): Promise<void> {
  const { owner, _id: calendar } = run.calendar;
  const { id: remote, version, title, start, end } = listed;
  const push = await getPush(ctx, owner, remote);
  if (push !== null && push.event === null) {
    // The user has removed it.
    if (push.calendar !== calendar) await ctx.db.patch("pushes", push._id, { calendar });
    return;
  }
  const event = await findEvent(ctx, owner, remote, push);
  // Only what is seen when all events are read counts as seen by this run.
  const seen = isFull ? run.sync.run : run.sync.run - 1;
  if (event === null) {
    if (await isBuried(ctx, run, listed)) return;
    const content = { title, start, end, version };
    await addEvent(ctx, { owner, calendar, remote, ...content, placed: version, seen });
    return;
  }

  const isHere = event.calendar === calendar;
  const isPlace = version >= (event.placed ?? -Infinity);
  const place: Partial<Fields> = {};
  if (isPlace) {
    place.calendar = calendar;
    place.placed = version;
    if (event.away !== undefined) place.away = undefined;
  }
  if ((isHere && isFull) || (!isHere && isPlace)) place.seen = seen;

  const isNews = version >= (event.version ?? -Infinity);
  if (push === null) {
    await changeEvent(ctx, event, isNews ? { ...place, title, start, end, version } : place);
    return;
  }
  // The user sees what he has done. It is decided later whether this is newer.
  await changeEvent(ctx, event, place);
  if (isPlace) await ctx.db.patch("pushes", push._id, { calendar, leaving: undefined });
  if (isNews && version >= (push.listed?.version ?? -Infinity)) {
    await ctx.db.patch("pushes", push._id, { listed: { title, start, end, version } });
  }
}

/** A calendar has an event no more. */
export async function takeOut(
  ctx: MutationCtx,
  run: CurrentRun,
  { id: remote, version, movedTo }: GoneEvent,
): Promise<void> {
  const { owner } = run.calendar;
  const push = await getPush(ctx, owner, remote);
  const event = await findEvent(ctx, owner, remote, push);
  // It was listed since then.
  if (event !== null && version < (event.placed ?? -Infinity)) return;

  if (movedTo === undefined) {
    if (event !== null && version < (event.version ?? -Infinity)) return;
    await bury(ctx, { owner, remote }, { version });
    if (push !== null) await ctx.db.delete("pushes", push._id);
    if (event !== null) await removeEvent(ctx, event);
    return;
  }

  const to = await getConnected(ctx, owner, movedTo);
  if (event === null) {
    await bury(ctx, { owner, remote }, { version, movedTo });
    if (push !== null && to !== null) {
      await ctx.db.patch("pushes", push._id, { calendar: to._id });
    }
    return;
  }
  if (to !== null) {
    await moveEvent(ctx, event, to._id, version);
    if (push !== null) {
      await ctx.db.patch("pushes", push._id, { calendar: to._id, leaving: undefined });
    }
  } else if (push !== null) {
    // The user sees what he has done until it is confirmed.
    await changeEvent(ctx, event, { placed: version });
    await ctx.db.patch("pushes", push._id, { leaving: { version, movedTo } });
  } else {
    await leave(ctx, event, { version, movedTo });
  }
}

/** Takes out some of the events that were not seen by a run that has read all. Returns whether there are more. */
export async function sweepUnseen(
  ctx: MutationCtx,
  { calendar, sync }: CurrentRun,
): Promise<boolean> {
  const seen = sync.run;
  const events = await ctx.db
    .query("events")
    .withIndex("by_calendar_and_seen", (q) => q.eq("calendar", calendar._id).lt("seen", seen))
    .take(BATCH);
  if (events.length === 0) return false;

  let search = sync.search ?? null;
  const former = search === null ? null : await ctx.db.get("searches", search);
  if (former === null || former.waitingFor.length === 0) search = null;

  for (const event of events) {
    if (event.away !== undefined) {
      await changeEvent(ctx, event, { seen });
      continue;
    }
    const push =
      event.remote === undefined ? null : await getPush(ctx, calendar.owner, event.remote);
    if (push !== null && push.event === event._id) {
      // The answer to its request will tell whether it was deleted.
      await changeEvent(ctx, event, { seen });
      await ctx.db.patch("pushes", push._id, { leaving: push.leaving ?? {} });
      continue;
    }
    search ??= await openSearch(ctx, calendar.owner, calendar._id);
    if (search === null) await removeEvent(ctx, event);
    else await changeEvent(ctx, event, { seen, away: search });
  }
  if (search !== null) await ctx.db.patch("syncs", sync._id, { search });
  return events.length === BATCH;
}
