// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { changeEvent, getCopies, removeEvent } from "./events";
import { LOST_MS } from "./syncs";

/*
 * What users do with events of connected calendars is kept in `changes`, one document for each event,
 * until Kalendo has confirmed it. Requests about one event are sent one after the other, since Kalendo
 * carries them out in any order: what is done while one is under way is told after its answer.
 */

/** Changes an event as its user wants, and tells Kalendo. */
export async function changeForUser(
  ctx: MutationCtx,
  event: Doc<"events">,
  change: { title?: string; start?: number; end?: number },
): Promise<void> {
  await changeEvent(ctx, event, change);
  const { title, start, end } = { ...event, ...change };
  if (title !== event.title || start !== event.start || end !== event.end) {
    await record(ctx, event, false);
  }
}

/** Removes an event as its user wants, and tells Kalendo. */
export async function removeForUser(ctx: MutationCtx, event: Doc<"events">): Promise<void> {
  if (event.remote === undefined) {
    await removeEvent(ctx, event);
    return;
  }
  await record(ctx, event, true);
  for (const copy of await getCopies(ctx, event.owner, event.remote)) await removeEvent(ctx, copy);
}

async function record(ctx: MutationCtx, event: Doc<"events">, isRemoval: boolean): Promise<void> {
  const { _id, owner, calendar, remote } = event;
  // Events of a calendar that was disconnected are about to be dropped, here only.
  if (remote === undefined || (await ctx.db.get("calendars", calendar)) === null) return;
  const former = await getChange(ctx, owner, remote);
  if (former !== null) {
    const revision = former.revision + 1;
    await ctx.db.patch("changes", former._id, { event: _id, isRemoval, revision });
    await tell(ctx, former._id);
    return;
  }
  const change = await ctx.db.insert("changes", {
    owner,
    calendar,
    remote,
    event: _id,
    isRemoval,
    revision: 1,
    attempts: 0,
  });
  await tell(ctx, change);
}

/** Tells Kalendo of a change, unless a request about the event is under way. */
export async function tell(ctx: MutationCtx, id: Id<"changes">): Promise<void> {
  const change = await ctx.db.get("changes", id);
  if (change === null) return;
  const now = Date.now();
  if (change.sending !== undefined && now - change.sending.since < LOST_MS) return;
  const attempt = change.attempts + 1;
  await ctx.db.patch("changes", id, { attempts: attempt, sending: { attempt, since: now } });
  await ctx.scheduler.runAfter(0, internal.kalendo.telling.send, { change: id, attempt });
}

/** Returns what Kalendo has not yet confirmed about an event. */
export async function getChange(
  ctx: MutationCtx,
  owner: string,
  remote: string,
): Promise<Doc<"changes"> | null> {
  const change = await ctx.db
    .query("changes")
    .withIndex("by_owner_and_remote", (q) => q.eq("owner", owner).eq("remote", remote))
    .unique();
  if (change === null || (await ctx.db.get("calendars", change.calendar)) !== null) return change;
  // Its calendar was disconnected.
  await ctx.db.delete("changes", change._id);
  return null;
}

export async function getGone(
  ctx: MutationCtx,
  owner: string,
  remote: string,
): Promise<Doc<"gone"> | null> {
  return await ctx.db
    .query("gone")
    .withIndex("by_owner_and_remote", (q) => q.eq("owner", owner).eq("remote", remote))
    .unique();
}

/** Notes that an event is gone, so that no older version of it comes back. */
export async function noteGone(
  ctx: MutationCtx,
  { owner, calendar, remote }: Pick<Doc<"changes">, "owner" | "calendar" | "remote">,
  version: number,
): Promise<void> {
  const row = await getGone(ctx, owner, remote);
  if (row === null) await ctx.db.insert("gone", { owner, calendar, remote, version });
  else if (row.version < version) await ctx.db.patch("gone", row._id, { calendar, version });
}
