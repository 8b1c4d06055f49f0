// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import { internal } from "../_generated/api";
import { internalAction, internalMutation } from "../_generated/server";
import { noteGone, tell } from "../model/changes";
import { changeEvent, getCopies, removeEvent } from "../model/events";
import { deleteEvent, putEvent } from "./client";

const BATCH = 100;

const order = v.object({
  remote: v.string(),
  revision: v.number(),
  // Null if the event is to be deleted.
  content: v.nullable(v.object({ title: v.string(), start: v.number(), end: v.number() })),
});

const answerOf = v.union(
  v.object({ kind: v.literal("done"), version: v.number() }),
  v.object({ kind: v.literal("gone") }),
  v.object({ kind: v.literal("failed") }),
);

/** Tells Kalendo what a user has done with an event. */
export const send = internalAction({
  args: { change: v.id("changes"), attempt: v.number() },
  returns: v.null(),
  handler: async (ctx, { change, attempt }): Promise<null> => {
    const told: Infer<typeof order> | null = await ctx.runMutation(
      internal.kalendo.telling.begin,
      { change, attempt },
    );
    if (told === null) return null;
    const { remote, revision, content } = told;
    let answer: Infer<typeof answerOf> = { kind: "failed" };
    try {
      answer = content === null ? await deleteEvent(remote) : await putEvent(remote, content);
    } catch (error) {
      console.error("Kalendo was not told", remote, error);
    }
    await ctx.runMutation(internal.kalendo.telling.end, { change, attempt, revision, answer });
    return null;
  },
});

/** Returns what to tell, or null if another request does it. */
export const begin = internalMutation({
  args: { change: v.id("changes"), attempt: v.number() },
  returns: v.nullable(order),
  handler: async (ctx, { change: id, attempt }) => {
    const change = await ctx.db.get("changes", id);
    if (change === null || change.sending?.attempt !== attempt) return null;
    const { remote, revision, isRemoval } = change;
    const event = isRemoval ? null : await ctx.db.get("events", change.event);
    if (event === null && !isRemoval) {
      await ctx.db.delete("changes", id);
      return null;
    }
    await ctx.db.patch("changes", id, { sending: { attempt, since: Date.now() } });
    if (event === null) return { remote, revision, content: null };
    const { title, start, end } = event;
    return { remote, revision, content: { title, start, end } };
  },
});

/** Takes the answer to a request. */
export const end = internalMutation({
  args: {
    change: v.id("changes"),
    attempt: v.number(),
    revision: v.number(),
    answer: answerOf,
  },
  returns: v.null(),
  handler: async (ctx, { change: id, attempt, revision, answer }) => {
    const change = await ctx.db.get("changes", id);
    if (change === null) return null;
    const { owner, remote, isRemoval, sending, listed } = change;
    if (answer.kind === "gone") {
      for (const copy of await getCopies(ctx, owner, remote)) await removeEvent(ctx, copy);
      await noteGone(ctx, change, Number.MAX_SAFE_INTEGER);
      await ctx.db.delete("changes", id);
      return null;
    }
    const event = isRemoval ? null : await ctx.db.get("events", change.event);
    if (answer.kind === "done" && event !== null) {
      const { version } = answer;
      if (event.version === undefined || event.version < version) {
        await changeEvent(ctx, event, { version });
      }
    }
    // If this request was given up, the answer to the one that followed it counts.
    if (sending !== undefined && sending.attempt !== attempt) return null;
    if (answer.kind === "done" && change.revision === revision) {
      await ctx.db.delete("changes", id);
      if (isRemoval) {
        await noteGone(ctx, change, answer.version);
      } else if (event !== null && listed !== undefined && listed.version > answer.version) {
        // Somebody has changed the event after this request, and we have read it before the answer.
        const { title, start, end: until } = listed;
        await changeEvent(ctx, event, { title, start, end: until });
      }
      return null;
    }
    await ctx.db.patch("changes", id, { sending: undefined });
    if (change.revision !== revision) await tell(ctx, id);
    return null;
  },
});

/** Tells again what Kalendo has not confirmed, when a sync of the calendar begins. */
export const again = internalMutation({
  args: { calendar: v.id("calendars"), after: v.optional(v.number()) },
  returns: v.null(),
  handler: async (ctx, { calendar, after }) => {
    const changes = await ctx.db
      .query("changes")
      .withIndex("by_calendar", (q) =>
        q.eq("calendar", calendar).gt("_creationTime", after ?? 0),
      )
      .take(BATCH);
    let last = after;
    for (const { _id, _creationTime } of changes) {
      await tell(ctx, _id);
      last = _creationTime;
    }
    if (changes.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.kalendo.telling.again, { calendar, after: last });
    }
    return null;
  },
});
