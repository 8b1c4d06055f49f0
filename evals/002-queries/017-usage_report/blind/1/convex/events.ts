// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { mutation } from "./_generated/server";
import { MAX_BATCH } from "./constants";
import { correctEvent, findEvent, insertEvent, retractEvents } from "./model/events";
import { refreshMinutes } from "./model/totals";
import { requireCustomer, requireMeter } from "./model/viewer";

/** Stores what is not yet there, and tells how many events these were. */
export const record = mutation({
  args: {
    events: v.array(
      v.object({ meter: v.string(), key: v.string(), at: v.number(), amount: v.number() }),
    ),
  },
  returns: v.number(),
  handler: async (ctx, { events }) => {
    const { _id: customer } = await requireCustomer(ctx);
    if (events.length > MAX_BATCH) throw new ConvexError("too many events");
    const stored: Pick<Doc<"events">, "meter" | "at">[] = [];
    for (const { meter: name, ...event } of events) {
      const { _id: meter } = await requireMeter(ctx, customer, name);
      if (await insertEvent(ctx, { meter, ...event })) stored.push({ meter, at: event.at });
    }
    await refreshMinutes(ctx, stored);
    return stored.length;
  },
});

export const correct = mutation({
  args: {
    meter: v.string(),
    key: v.string(),
    at: v.optional(v.number()),
    amount: v.optional(v.number()),
  },
  returns: v.null(),
  handler: async (ctx, { meter: name, key, ...changes }) => {
    const { _id: customer } = await requireCustomer(ctx);
    const { _id: meter } = await requireMeter(ctx, customer, name);
    const event = await findEvent(ctx, meter, key);
    if (event === null) throw new ConvexError("no such event");
    await correctEvent(ctx, event, changes);
    return null;
  },
});

export const retract = mutation({
  args: { meter: v.string(), key: v.string() },
  returns: v.null(),
  handler: async (ctx, { meter: name, key }) => {
    const { _id: customer } = await requireCustomer(ctx);
    const { _id: meter } = await requireMeter(ctx, customer, name);
    const event = await findEvent(ctx, meter, key);
    if (event === null) throw new ConvexError("no such event");
    await retractEvents(ctx, [event]);
    return null;
  },
});
