// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { WithoutSystemFields } from "convex/server";
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { dayOf, MINUTE_MS } from "../lib/time";

/*
 * Events are written by these three functions only: reminders, busy minutes and notes hang on them.
 * Hidden events, which have `missingSince`, have notes but neither a reminder nor busy minutes.
 *
 * They do not tell Kalendo: what users do goes through model/changes.ts.
 */

type Fields = WithoutSystemFields<Doc<"events">>;

const REMIND_MS = 10 * MINUTE_MS;

export async function addEvent(ctx: MutationCtx, fields: Fields): Promise<void> {
  const event = await ctx.db.insert("events", fields);
  await addReminder(ctx, event, fields);
  await addBusy(ctx, fields, 1);
}

export async function changeEvent(
  ctx: MutationCtx,
  event: Doc<"events">,
  change: Partial<Fields>,
): Promise<void> {
  await ctx.db.patch("events", event._id, change);
  const after = { ...event, ...change };
  const wasHidden = event.missingSince !== undefined;
  const isHidden = after.missingSince !== undefined;
  if (wasHidden || isHidden) {
    if (!wasHidden) {
      await removeReminder(ctx, event);
      await addBusy(ctx, event, -1);
    } else if (!isHidden) {
      await addReminder(ctx, event._id, after);
      await addBusy(ctx, after, 1);
    }
    return;
  }
  if (after.start !== event.start) {
    const at = after.start - REMIND_MS;
    const reminder = await getReminder(ctx, event);
    if (reminder !== null) {
      await ctx.db.patch("reminders", reminder._id, { at, sent: at < Date.now() });
    }
  }
  if (after.start !== event.start || after.end !== event.end) {
    await addBusy(ctx, event, -1);
    await addBusy(ctx, after, 1);
  }
}

export async function removeEvent(ctx: MutationCtx, event: Doc<"events">): Promise<void> {
  const notes = ctx.db.query("notes").withIndex("by_event", (q) => q.eq("event", event._id));
  for await (const note of notes) await ctx.db.delete("notes", note._id);
  if (event.missingSince === undefined) {
    await removeReminder(ctx, event);
    await addBusy(ctx, event, -1);
  }
  await ctx.db.delete("events", event._id);
}

/**
 * Returns the documents of a user's event of Kalendo. There should be one at most, but our former import
 * could leave one in each of two calendars.
 */
export async function getCopies(
  ctx: MutationCtx,
  owner: string,
  remote: string,
): Promise<Doc<"events">[]> {
  return await ctx.db
    .query("events")
    .withIndex("by_owner_and_remote", (q) => q.eq("owner", owner).eq("remote", remote))
    .take(100);
}

async function addReminder(
  ctx: MutationCtx,
  event: Doc<"events">["_id"],
  { owner, start }: Pick<Fields, "owner" | "start">,
): Promise<void> {
  const at = start - REMIND_MS;
  await ctx.db.insert("reminders", { event, owner, at, sent: at < Date.now() });
}

async function removeReminder(ctx: MutationCtx, event: Doc<"events">): Promise<void> {
  const reminder = await getReminder(ctx, event);
  if (reminder !== null) await ctx.db.delete("reminders", reminder._id);
}

async function getReminder(ctx: MutationCtx, event: Doc<"events">) {
  return await ctx.db
    .query("reminders")
    .withIndex("by_event", (q) => q.eq("event", event._id))
    .unique();
}

async function addBusy(
  ctx: MutationCtx,
  { owner, start, end }: Pick<Fields, "owner" | "start" | "end">,
  sign: 1 | -1,
): Promise<void> {
  const day = dayOf(start);
  const minutes = (sign * (end - start)) / MINUTE_MS;
  const row = await ctx.db
    .query("busy")
    .withIndex("by_owner_and_day", (q) => q.eq("owner", owner).eq("day", day))
    .unique();
  if (row === null) await ctx.db.insert("busy", { owner, day, minutes });
  else await ctx.db.patch("busy", row._id, { minutes: row.minutes + minutes });
}
