// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalAction, internalMutation } from "../_generated/server";
import { takeOutcome, sendPush } from "../model/pushes";
import { eventContent, requestOutcome, tellEvent } from "./client";

const BATCH = 50;

/** Tells Kalendo what a user has done with an event: its new content, or null if it was removed. */
export const send = internalAction({
  args: {
    push: v.id("pushes"),
    request: v.number(),
    remote: v.string(),
    change: v.nullable(eventContent),
  },
  returns: v.null(),
  handler: async (ctx, { push, request, remote, change }): Promise<null> => {
    const outcome = await tellEvent(remote, change);
    await ctx.runMutation(internal.kalendo.telling.answered, { push, request, outcome });
    return null;
  },
});

export const answered = internalMutation({
  args: { push: v.id("pushes"), request: v.number(), outcome: requestOutcome },
  returns: v.null(),
  handler: async (ctx, { push: id, request, outcome }) => {
    const push = await ctx.db.get("pushes", id);
    // A request that had failed, as it got no answer for long, tells nothing once there is another one.
    if (push !== null && push.request === request) await takeOutcome(ctx, push, outcome);
    return null;
  },
});

/** Tells Kalendo again what it has not confirmed yet of a calendar. */
export const again = internalMutation({
  args: { calendar: v.id("calendars"), after: v.optional(v.number()) },
  returns: v.null(),
  handler: async (ctx, { calendar, after }) => {
    const pushes = await ctx.db
      .query("pushes")
      .withIndex("by_calendar", (q) =>
        q.eq("calendar", calendar).gt("_creationTime", after ?? -Infinity),
      )
      .take(BATCH);
    for (const { _id } of pushes) await sendPush(ctx, _id);
    const last = pushes.at(-1);
    if (last !== undefined && pushes.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.kalendo.telling.again, {
        calendar,
        after: last._creationTime,
      });
    }
    return null;
  },
});
