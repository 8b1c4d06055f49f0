// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { WithoutSystemFields } from "convex/server";
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { dayOf, MINUTE_MS } from "../lib/time";

/*
 * Events are written by these three functions only: reminders, busy minutes and notes hang on them.
 * An event that is away has neither reminder nor busy minutes, as its user does not see it.
 */

export type Fields = WithoutSystemFields<Doc<"events">>;

const REMIND_MS = 10 * MINUTE_MS;

export async function addEvent(ctx: MutationCtx, fields: Fields): Promise<void> {
  const event = await ctx.db.insert("events", fields);
  const { owner, start } = fields;
  const at = start - REMIND_MS;
  await ctx.db.insert("reminders", { event, owner, at, sent: at < Date.now() });
  await addBusy(ctx, fields, 1);
}

export async function changeEvent(
  ctx: MutationCtx,
  event: Doc<"events">,
  change: Partial<Fields>,
): Promise<void> {
  await ctx.db.patch("events", event._id, change);
  const after = { ...event, ...change };
  const wasShown = event.away === undefined;
  const isShown = after.away === undefined;
  if (wasShown !== isShown || after.start !== event.start) {
    const at = after.start - REMIND_MS;
    const sent = at < Date.now();
    const reminder = await getReminder(ctx, event);
    if (!isShown) {
      if (reminder !== null) await ctx.db.delete("reminders", reminder._id);
    } else if (reminder !== null) {
      await ctx.db.patch("reminders", reminder._id, { at, sent });
    } else if (!wasShown) {
      await ctx.db.insert("reminders", { event: event._id, owner: event.owner, at, sent });
    }
  }
  if (wasShown !== isShown || after.start !== event.start || after.end !== event.end) {
    if (wasShown) await addBusy(ctx, event, -1);
    if (isShown) await addBusy(ctx, after, 1);
  }
}

export async function removeEvent(ctx: MutationCtx, event: Doc<"events">): Promise<void> {
  const notes = ctx.db.query("notes").withIndex("by_event", (q) => q.eq("event", event._id));
  for await (const note of notes) await ctx.db.delete("notes", note._id);
  const reminder = await getReminder(ctx, event);
  if (reminder !== null) await ctx.db.delete("reminders", reminder._id);
  if (event.away === undefined) await addBusy(ctx, event, -1);
  await ctx.db.delete("events", event._id);
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
