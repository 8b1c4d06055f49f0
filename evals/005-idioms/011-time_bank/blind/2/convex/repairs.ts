// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation } from "./_generated/server";
import { takeBack } from "./model/repairs";

/** How many bookings are looked at in one transaction. */
const PAGE = 100;

/** Bookings with more parts have a transaction of their own. */
const MAX_PARTS = 10;

/** Takes back all bookings that have fewer entries than parts. To start it again does no harm. */
export const run = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx): Promise<null> => {
    await ctx.scheduler.runAfter(0, internal.repairs.lookThrough, { cursor: null });
    return null;
  },
});

/** Looks through the bookings from a position on. Those that are made meanwhile are complete. */
export const lookThrough = internalMutation({
  args: { cursor: v.nullable(v.string()) },
  returns: v.null(),
  handler: async (ctx, { cursor }): Promise<null> => {
    const { page, isDone, continueCursor } = await ctx.db
      .query("bookings")
      .paginate({ cursor, numItems: PAGE });
    for (const { _id: booking, parts } of page) {
      if (parts <= MAX_PARTS) await takeBack(ctx, booking);
      else await ctx.scheduler.runAfter(0, internal.repairs.lookAt, { booking });
    }
    if (!isDone) {
      await ctx.scheduler.runAfter(0, internal.repairs.lookThrough, { cursor: continueCursor });
    }
    return null;
  },
});

/** Looks at one booking that may have many entries. */
export const lookAt = internalMutation({
  args: { booking: v.id("bookings") },
  returns: v.null(),
  handler: async (ctx, { booking }): Promise<null> => {
    const isDone = await takeBack(ctx, booking);
    if (!isDone) await ctx.scheduler.runAfter(0, internal.repairs.lookAt, { booking });
    return null;
  },
});
