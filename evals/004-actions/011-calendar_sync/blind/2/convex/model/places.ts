// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import type { ListedEvent } from "../kalendo/client";
import { changeEvent, removeEvent } from "./events";
import { getSync, type CurrentRun } from "./runs";

/*
 * Where events are at Kalendo, and which are nowhere any more.
 */

export async function getConnected(
  ctx: QueryCtx,
  owner: string,
  remote: string,
): Promise<Doc<"calendars"> | null> {
  return await ctx.db
    .query("calendars")
    .withIndex("by_owner_and_remote", (q) => q.eq("owner", owner).eq("remote", remote))
    .first();
}

/** Moves an event to another connected calendar, as of a version. */
export async function moveEvent(
  ctx: MutationCtx,
  event: Doc<"events">,
  to: Id<"calendars">,
  version: number,
): Promise<void> {
  // A sync of that calendar that is under way may be beyond the page that lists it.
  const seen = (await getSync(ctx, to))?.run ?? 0;
  await changeEvent(ctx, event, { calendar: to, placed: version, seen, away: undefined });
}

/* Graves: what is gone must not come back with an older version. */

async function getGrave(ctx: QueryCtx, owner: string, remote: string) {
  return await ctx.db
    .query("graves")
    .withIndex("by_owner_and_remote", (q) => q.eq("owner", owner).eq("remote", remote))
    .unique();
}

export async function bury(
  ctx: MutationCtx,
  { owner, remote }: { owner: string; remote: string },
  { version, movedTo, at }: { version: number; movedTo?: string; at?: number },
): Promise<void> {
  const former = await getGrave(ctx, owner, remote);
  if (former === null) {
    await ctx.db.insert("graves", { owner, remote, version, movedTo, at });
  } else if (version >= former.version) {
    await ctx.db.patch("graves", former._id, { version, movedTo, at: at ?? former.at });
  } else if (at !== undefined) {
    await ctx.db.patch("graves", former._id, { at });
  }
}

/** Whether a listed event is older than its grave. If it is not, the grave is removed. */
export async function isBuried(
  ctx: MutationCtx,
  { calendar, remote, sync }: CurrentRun,
  listed: ListedEvent,
): Promise<boolean> {
  const grave = await getGrave(ctx, calendar.owner, listed.id);
  if (grave === null) return false;
  if (listed.version < grave.version) return true;
  if (listed.version === grave.version && grave.movedTo !== remote) return true;
  // Kalendo did not tell the version of what it had deleted: pages may be from before.
  if (grave.at !== undefined && sync.startedAt <= grave.at) return true;
  await ctx.db.delete("graves", grave._id);
  return false;
}

/*
 * Searches: where all events of a calendar were read, it is not known what became of one that was not
 * among them. It may have been moved to another connected calendar, which lists it in its next sync. So it
 * is put away, and removed when all these calendars were synced.
 */

/** Returns null if the user has no other connected calendar. */
export async function openSearch(
  ctx: MutationCtx,
  owner: string,
  calendar: Id<"calendars">,
): Promise<Id<"searches"> | null> {
  const calendars = await ctx.db
    .query("calendars")
    .withIndex("by_owner", (q) => q.eq("owner", owner))
    .collect();
  const waitingFor: Doc<"searches">["waitingFor"] = [];
  for (const { _id, remote } of calendars) {
    if (_id === calendar || remote === undefined) continue;
    waitingFor.push({ calendar: _id, run: (await getSync(ctx, _id))?.run ?? 0 });
  }
  if (waitingFor.length === 0) return null;
  return await ctx.db.insert("searches", { owner, waitingFor });
}

/** A run of a calendar is complete, or the calendar is gone: then the run is Infinity. */
export async function settleSearches(
  ctx: MutationCtx,
  owner: string,
  calendar: Id<"calendars">,
  run: number,
): Promise<void> {
  const searches = await ctx.db
    .query("searches")
    .withIndex("by_owner", (q) => q.eq("owner", owner))
    .collect();
  for (const search of searches) {
    const waitingFor = search.waitingFor.filter(
      (each) => each.calendar !== calendar || each.run >= run,
    );
    if (waitingFor.length === search.waitingFor.length) continue;
    await ctx.db.patch("searches", search._id, { waitingFor });
    if (waitingFor.length === 0) {
      await ctx.scheduler.runAfter(0, internal.kalendo.importing.endSearch, { search: search._id });
    }
  }
}

/** Takes an event out of its calendar, in which it is not any more. */
export async function leave(
  ctx: MutationCtx,
  event: Doc<"events">,
  { version, movedTo }: { version?: number; movedTo?: string },
): Promise<void> {
  const { owner, remote } = event;
  if (movedTo !== undefined && version !== undefined && remote !== undefined) {
    const to = await getConnected(ctx, owner, movedTo);
    if (to !== null) {
      await moveEvent(ctx, event, to._id, version);
      return;
    }
    await bury(ctx, { owner, remote }, { version, movedTo });
    await removeEvent(ctx, event);
    return;
  }
  const search = await openSearch(ctx, owner, event.calendar);
  if (search === null) await removeEvent(ctx, event);
  else await changeEvent(ctx, event, { away: search });
}
