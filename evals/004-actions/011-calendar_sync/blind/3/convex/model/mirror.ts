// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { listedContent } from "../schema";
import { getChange, getGone, noteGone } from "./changes";
import { addEvent, changeEvent, getCopies, removeEvent } from "./events";

/*
 * Takes over what a calendar of Kalendo lists. Entries come in any order, and more than once: an entry
 * counts only if its version is not older than what is known of the event, in whichever calendar.
 */

const BATCH = 50;
const CALENDARS = 200;

const aliveEntry = listedContent.extend({ remote: v.string() });
const goneEntry = v.object({
  remote: v.string(),
  version: v.number(),
  deleted: v.literal(true),
  movedTo: v.optional(v.string()),
});

/** An event that a calendar lists, or one that it no longer has. */
export const listedEntry = v.union(aliveEntry, goneEntry);

export async function takeEntry(
  ctx: MutationCtx,
  calendar: Doc<"calendars">,
  entry: Infer<typeof listedEntry>,
): Promise<void> {
  if ("deleted" in entry) await takeGone(ctx, calendar, entry);
  else await takeAlive(ctx, calendar, entry);
}

async function takeAlive(
  ctx: MutationCtx,
  calendar: Doc<"calendars">,
  { remote, version, title, start, end }: Infer<typeof aliveEntry>,
): Promise<void> {
  const { _id, owner } = calendar;
  const change = await getChange(ctx, owner, remote);
  if (change?.isRemoval === true) {
    // The user has removed it, which Kalendo does not know yet.
    if (change.calendar !== _id) await ctx.db.patch("changes", change._id, { calendar: _id });
    return;
  }
  const gone = await getGone(ctx, owner, remote);
  if (gone !== null && version < gone.version) return;
  const event = await getOnlyCopy(ctx, calendar, remote, change);
  const seenAt = Date.now();
  if (event === null) {
    if (gone !== null) await ctx.db.delete("gone", gone._id);
    await addEvent(ctx, { owner, calendar: _id, remote, title, start, end, version, seenAt });
    return;
  }
  if (event.version !== undefined && version < event.version) {
    if (event.calendar === _id) await changeEvent(ctx, event, { seenAt });
    return;
  }
  const place = { calendar: _id, version, seenAt, missingSince: undefined };
  if (change === null) {
    await changeEvent(ctx, event, { ...place, title, start, end });
    return;
  }
  // The user goes on to see what they have done.
  await changeEvent(ctx, event, place);
  const listed = { version, title, start, end };
  await ctx.db.patch("changes", change._id, { calendar: _id, listed });
}

async function takeGone(
  ctx: MutationCtx,
  calendar: Doc<"calendars">,
  { remote, version, movedTo }: Infer<typeof goneEntry>,
): Promise<void> {
  const { _id, owner } = calendar;
  const change = await getChange(ctx, owner, remote);
  const event = await getOnlyCopy(ctx, calendar, remote, change);
  const target = movedTo === undefined ? null : await getConnected(ctx, owner, movedTo);
  if (event === null) {
    if (change !== null && target !== null) {
      await ctx.db.patch("changes", change._id, { calendar: target._id });
    }
    await noteGone(ctx, { owner, calendar: _id, remote }, version);
    return;
  }
  // Of what the former import has left in another calendar, this one knows nothing.
  const known = event.version ?? (event.calendar === _id ? -Infinity : Infinity);
  if (version < known) return;
  if (target !== null) {
    await changeEvent(ctx, event, { calendar: target._id, version, missingSince: undefined });
    if (change !== null) await ctx.db.patch("changes", change._id, { calendar: target._id });
    return;
  }
  await removeEvent(ctx, event);
  if (change !== null) await ctx.db.delete("changes", change._id);
  await noteGone(ctx, { owner, calendar: _id, remote }, version);
}

/** Returns the document of an event; if there are several, they become one, which has all notes. */
async function getOnlyCopy(
  ctx: MutationCtx,
  calendar: Doc<"calendars">,
  remote: string,
  change: Doc<"changes"> | null,
): Promise<Doc<"events"> | null> {
  const rank = (copy: Doc<"events">): number => {
    if (copy._id === change?.event) return 2;
    return copy.calendar === calendar._id ? 1 : 0;
  };
  let kept: Doc<"events"> | null = null;
  const copies: Doc<"events">[] = [];
  for (const copy of await getCopies(ctx, calendar.owner, remote)) {
    const isHere = copy.calendar === calendar._id;
    if (!isHere && (await ctx.db.get("calendars", copy.calendar)) === null) {
      // Its calendar was disconnected.
      await removeEvent(ctx, copy);
      continue;
    }
    copies.push(copy);
    if (kept === null || rank(copy) > rank(kept)) kept = copy;
  }
  if (kept === null) return null;
  for (const copy of copies) {
    if (copy._id === kept._id) continue;
    const notes = await ctx.db
      .query("notes")
      .withIndex("by_event", (q) => q.eq("event", copy._id))
      .collect();
    for (const note of notes) await ctx.db.patch("notes", note._id, { event: kept._id });
    await removeEvent(ctx, copy);
  }
  return kept;
}

async function getConnected(
  ctx: MutationCtx,
  owner: string,
  remote: string,
): Promise<Doc<"calendars"> | null> {
  return await ctx.db
    .query("calendars")
    .withIndex("by_owner_and_remote", (q) => q.eq("owner", owner).eq("remote", remote))
    .unique();
}

/**
 * Removes hidden events of a user. An event that is no longer listed may have been moved to any other
 * connected calendar of its user: only when all of them have been read since it was hidden, without
 * bringing it back, it is certain that it is gone. Returns whether there may be more.
 */
export async function dropMissingEvents(ctx: MutationCtx, owner: string): Promise<boolean> {
  const calendars = await ctx.db
    .query("calendars")
    .withIndex("by_owner_and_remote", (q) => q.eq("owner", owner).gt("remote", ""))
    .take(CALENDARS);
  const readSince = Math.min(...calendars.map(({ syncedFrom }) => syncedFrom ?? 0));
  if (calendars.length === 0 || readSince === 0) return false;
  const missing = await ctx.db
    .query("events")
    .withIndex("by_owner_and_missing_and_start", (q) =>
      q.eq("owner", owner).gt("missingSince", 0).lte("missingSince", readSince),
    )
    .take(BATCH);
  for (const event of missing) {
    const { remote } = event;
    await removeEvent(ctx, event);
    const change = remote === undefined ? null : await getChange(ctx, owner, remote);
    if (change !== null) await ctx.db.delete("changes", change._id);
  }
  return missing.length === BATCH;
}
