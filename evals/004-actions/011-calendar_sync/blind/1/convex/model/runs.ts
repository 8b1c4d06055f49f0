// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { removeEvent } from "./events";
import { findOutbox, sendAll, SILENCE_MS } from "./outbox";
import { setGone } from "./merging";

const LEFT_PER_RUN = 200;

function isRunning({ heardAt }: Doc<"calendars">): boolean {
  return heardAt !== undefined && Date.now() - heardAt < SILENCE_MS;
}

/** Begins a sync of a connected calendar, unless one is under way. */
export async function startSync(ctx: MutationCtx, id: Id<"calendars">): Promise<void> {
  const calendar = await ctx.db.get("calendars", id);
  if (calendar === null || calendar.remote === undefined || isRunning(calendar)) return;
  const run = Math.max(Date.now(), (calendar.run ?? 0) + 1);
  await ctx.db.patch("calendars", id, { run, heardAt: Date.now() });
  await sendAll(ctx, calendar.owner);
  await ctx.scheduler.runAfter(0, internal.kalendo.syncing.step, {
    calendar: id,
    run,
    remote: calendar.remote,
    since: calendar.since ?? null,
    page: null,
  });
}

/** The calendar of a run that is neither over nor lost, which is heard of now. */
export async function hear(
  ctx: MutationCtx,
  id: Id<"calendars">,
  run: number,
): Promise<Doc<"calendars"> | null> {
  const calendar = await ctx.db.get("calendars", id);
  if (calendar === null || calendar.run !== run || !isRunning(calendar)) return null;
  await ctx.db.patch("calendars", id, { heardAt: Date.now() });
  return calendar;
}

/**
 * Removes the events of a user that are in no connected calendar any more. Of what is only missed it is
 * not known before all the user's other calendars have been read.
 */
export async function settle(ctx: MutationCtx, owner: string): Promise<void> {
  const left = await ctx.db
    .query("events")
    .withIndex("by_owner_and_leftAt", (q) => q.eq("owner", owner).gte("leftAt", 0))
    .take(LEFT_PER_RUN);
  if (left.length === 0) return;
  const calendars = await ctx.db
    .query("calendars")
    .withIndex("by_owner_and_remote", (q) => q.eq("owner", owner).gt("remote", undefined))
    .take(500);
  const late = new Set<Id<"calendars">>();
  let removed = 0;
  for (const event of left) {
    const { calendar, leftAt, remote } = event;
    if (leftAt === undefined || remote === undefined) continue;
    if (calendars.some((each) => each._id === calendar && isRunning(each))) continue;
    if ((await findOutbox(ctx, owner, remote)) !== null) continue;
    const unread =
      leftAt === 0
        ? []
        : calendars.filter(({ _id, completeRun }) => _id !== calendar && (completeRun ?? 0) < leftAt);
    if (unread.length > 0) {
      for (const { _id } of unread) late.add(_id);
      continue;
    }
    await removeEvent(ctx, event);
    if (leftAt === 0 && event.placed !== undefined) {
      await setGone(ctx, owner, remote, calendar, event.placed);
    }
    removed += 1;
  }
  for (const id of late) await startSync(ctx, id);
  if (removed > 0 && left.length === LEFT_PER_RUN) {
    await ctx.scheduler.runAfter(0, internal.kalendo.syncing.settleMore, { owner });
  }
}
