// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import type { EventContent, RequestOutcome } from "../kalendo/client";
import { SILENCE_MS } from "../lib/time";
import { changeEvent, removeEvent } from "./events";
import { bury, leave } from "./places";

/*
 * A push is what a user has done with an event, as long as Kalendo has not confirmed it. There is one for
 * an event at most, and one request of it at a time.
 */

/** The push of an event. That of a calendar that is not connected any more does not count. */
export async function getPush(
  ctx: MutationCtx,
  owner: string,
  remote: string,
): Promise<Doc<"pushes"> | null> {
  const push = await ctx.db
    .query("pushes")
    .withIndex("by_owner_and_remote", (q) => q.eq("owner", owner).eq("remote", remote))
    .unique();
  if (push === null || (await ctx.db.get("calendars", push.calendar)) !== null) return push;
  await ctx.db.delete("pushes", push._id);
  return null;
}

/** What a user does to an event, in whatever calendar. */
export async function changeByUser(
  ctx: MutationCtx,
  event: Doc<"events">,
  change: Partial<EventContent>,
): Promise<void> {
  const { title, start, end } = { ...event, ...change };
  await changeEvent(ctx, event, { title, start, end });
  if (title === event.title && start === event.start && end === event.end) return;
  await push(ctx, event, false);
}

export async function removeByUser(ctx: MutationCtx, event: Doc<"events">): Promise<void> {
  const { owner, remote } = event;
  if (remote === undefined) {
    await removeEvent(ctx, event);
    return;
  }
  // The former import may have left an event twice.
  const copies = await ctx.db
    .query("events")
    .withIndex("by_owner_and_remote", (q) => q.eq("owner", owner).eq("remote", remote))
    .collect();
  for (const copy of copies) await removeEvent(ctx, copy);
  await push(ctx, event, true);
}

async function push(ctx: MutationCtx, event: Doc<"events">, isRemoved: boolean): Promise<void> {
  const { owner, remote, calendar, version } = event;
  if (remote === undefined) return;
  if ((await ctx.db.get("calendars", calendar)) === null) return;
  const former = await getPush(ctx, owner, remote);
  const target = isRemoved ? null : event._id;
  if (former === null) {
    const id = await ctx.db.insert("pushes", {
      owner,
      remote,
      calendar,
      event: target,
      version,
      edit: 1,
      request: 0,
      sentEdit: 0,
    });
    await sendPush(ctx, id);
  } else {
    await ctx.db.patch("pushes", former._id, { event: target, version, edit: former.edit + 1 });
    await sendPush(ctx, former._id);
  }
}

/** Tells Kalendo how an event is now. If a request is under way this is done when it is answered. */
export async function sendPush(ctx: MutationCtx, id: Id<"pushes">): Promise<void> {
  const push = await ctx.db.get("pushes", id);
  if (push === null) return;
  const now = Date.now();
  if (push.sentAt !== undefined && now - push.sentAt < SILENCE_MS) return;
  let change: EventContent | null = null;
  if (push.event !== null) {
    const event = await ctx.db.get("events", push.event);
    if (event === null) {
      await ctx.db.delete("pushes", id);
      return;
    }
    change = { title: event.title, start: event.start, end: event.end };
  }
  const request = push.request + 1;
  await ctx.db.patch("pushes", id, { request, sentEdit: push.edit, sentAt: now });
  await ctx.scheduler.runAfter(0, internal.kalendo.telling.send, {
    push: id,
    request,
    remote: push.remote,
    change,
  });
}

/** The outcome of the last request of a push. */
export async function takeOutcome(
  ctx: MutationCtx,
  push: Doc<"pushes">,
  outcome: RequestOutcome,
): Promise<void> {
  const event = push.event === null ? null : await ctx.db.get("events", push.event);
  if (push.event !== null && event === null) {
    await ctx.db.delete("pushes", push._id);
    return;
  }

  if (outcome.kind === "deleted") {
    await ctx.db.delete("pushes", push._id);
    const version = event?.version ?? push.version ?? 0;
    await bury(ctx, push, { version, at: Date.now() });
    if (event !== null) await removeEvent(ctx, event);
    return;
  }

  const isConfirmed = outcome.kind === "confirmed";
  const known = event === null ? push.version : event.version;
  const version = isConfirmed ? Math.max(known ?? outcome.version, outcome.version) : known;
  if (!isConfirmed || push.sentEdit !== push.edit) {
    await ctx.db.patch("pushes", push._id, { version, sentAt: undefined });
    if (event !== null && isConfirmed) await changeEvent(ctx, event, { version });
    // What was done meanwhile was not told yet; what has failed is told again by the next sync.
    if (push.sentEdit !== push.edit) await sendPush(ctx, push._id);
    return;
  }

  await ctx.db.delete("pushes", push._id);
  if (event === null) {
    await bury(ctx, push, { version: version ?? outcome.version });
    return;
  }
  const { listed, leaving } = push;
  if (listed !== undefined && listed.version > outcome.version) {
    // Somebody has changed it at Kalendo after our request was carried out.
    await changeEvent(ctx, event, listed);
  } else {
    await changeEvent(ctx, event, { version });
  }
  const after = await ctx.db.get("events", event._id);
  if (leaving !== undefined && after !== null) await leave(ctx, after, leaving);
}
