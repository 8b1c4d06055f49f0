// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import type { KalendoChange } from "../kalendo/client";
import { addEvent, changeEvent, removeEvent } from "./events";
import { findOutbox } from "./outbox";

/*
 * How what Kalendo lists gets into our tables. A version tells of an event's contents and of its place;
 * requests of our own raise the former only.
 */

export async function copiesOf(
  ctx: MutationCtx,
  owner: string,
  remote: string,
): Promise<Doc<"events">[]> {
  return await ctx.db
    .query("events")
    .withIndex("by_owner_and_remote", (q) => q.eq("owner", owner).eq("remote", remote))
    .take(20);
}

async function findGone(ctx: MutationCtx, owner: string, remote: string) {
  return await ctx.db
    .query("gone")
    .withIndex("by_owner_and_remote", (q) => q.eq("owner", owner).eq("remote", remote))
    .unique();
}

export async function setGone(
  ctx: MutationCtx,
  owner: string,
  remote: string,
  calendar: Id<"calendars"> | null,
  version: number,
): Promise<void> {
  const former = await findGone(ctx, owner, remote);
  if (former === null) await ctx.db.insert("gone", { owner, remote, calendar, version });
  else if (version >= former.version) await ctx.db.patch("gone", former._id, { calendar, version });
}

/** The one document of an event. Copies, which the former import could leave, are joined. */
async function onlyCopy(
  ctx: MutationCtx,
  owner: string,
  remote: string,
): Promise<Doc<"events"> | null> {
  const [event, ...copies] = await copiesOf(ctx, owner, remote);
  if (event === undefined) return null;
  for (const copy of copies) {
    const notes = await ctx.db
      .query("notes")
      .withIndex("by_event", (q) => q.eq("event", copy._id))
      .collect();
    for (const { _id } of notes) await ctx.db.patch("notes", _id, { event: event._id });
    await removeEvent(ctx, copy);
  }
  return event;
}

/** An event was deleted at Kalendo: it is gone here, too, and nothing is left to be told. */
export async function dropDeleted(
  ctx: MutationCtx,
  owner: string,
  remote: string,
  version: number,
): Promise<void> {
  for (const event of await copiesOf(ctx, owner, remote)) await removeEvent(ctx, event);
  const row = await findOutbox(ctx, owner, remote);
  if (row !== null) await ctx.db.delete("outbox", row._id);
  await setGone(ctx, owner, remote, null, version);
}

async function mergeLeft(
  ctx: MutationCtx,
  calendar: Doc<"calendars">,
  { id: remote, version, movedTo }: Extract<KalendoChange, { deleted: true }>,
): Promise<void> {
  const { owner } = calendar;
  const event = await onlyCopy(ctx, owner, remote);
  if (movedTo === undefined) {
    const known = Math.max(event?.placed ?? -1, event?.version ?? -1);
    if (version >= known) await dropDeleted(ctx, owner, remote, version);
    return;
  }
  const target = await ctx.db
    .query("calendars")
    .withIndex("by_owner_and_remote", (q) => q.eq("owner", owner).eq("remote", movedTo))
    .first();
  if (event === null) {
    if (target === null) {
      const gone = await findGone(ctx, owner, remote);
      if (gone === null || version > gone.version) {
        await setGone(ctx, owner, remote, calendar._id, version);
      }
    }
    return;
  }
  if (version <= (event.placed ?? -1)) return;
  if (target === null) {
    await changeEvent(ctx, event, { placed: version, leftAt: 0 });
  } else {
    await changeEvent(ctx, event, {
      calendar: target._id,
      placed: version,
      seen: target.run ?? 0,
      leftAt: undefined,
    });
  }
}

async function mergeListed(
  ctx: MutationCtx,
  calendar: Doc<"calendars">,
  run: number,
  { id: remote, version, title, start, end }: Extract<KalendoChange, { deleted: false }>,
): Promise<void> {
  const { owner } = calendar;
  const row = await findOutbox(ctx, owner, remote);
  if (row !== null && row.wanted === null) {
    for (const copy of await copiesOf(ctx, owner, remote)) await removeEvent(ctx, copy);
    return;
  }
  const event = await onlyCopy(ctx, owner, remote);
  if (event === null) {
    const gone = await findGone(ctx, owner, remote);
    if (gone !== null) {
      const isElsewhere = gone.calendar !== null && gone.calendar !== calendar._id;
      if (version < gone.version || (version === gone.version && !isElsewhere)) return;
      await ctx.db.delete("gone", gone._id);
    }
  }
  if (row !== null && version > (row.latest?.version ?? -1)) {
    await ctx.db.patch("outbox", row._id, { latest: { version, title, start, end } });
  }
  if (event === null) {
    await addEvent(ctx, {
      owner,
      calendar: calendar._id,
      remote,
      ...(row?.wanted ?? { title, start, end }),
      version,
      placed: version,
      seen: run,
    });
    return;
  }
  const isPlace = version >= (event.placed ?? -1);
  const isContent = row === null && version >= (event.version ?? -1);
  await changeEvent(ctx, event, {
    ...(isPlace || event.calendar === calendar._id ? { seen: run } : {}),
    ...(isPlace ? { calendar: calendar._id, placed: version, leftAt: undefined } : {}),
    ...(isContent ? { title, start, end, version } : {}),
  });
}

export async function merge(
  ctx: MutationCtx,
  calendar: Doc<"calendars">,
  run: number,
  change: KalendoChange,
): Promise<void> {
  if (change.deleted) await mergeLeft(ctx, calendar, change);
  else await mergeListed(ctx, calendar, run, change);
}
