// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { mutation, query } from "./_generated/server";
import { attempt, find, giveBack, insist, lessonAndChild, lessonAndChildren } from "./model/places";

export const free = query({
  args: { lesson: v.id("lessons") },
  returns: v.number(),
  handler: async (ctx, args) => {
    const lesson = await ctx.db.get(args.lesson);
    if (!lesson) throw new ConvexError("no such lesson");
    return lesson.places - lesson.taken;
  },
});

export const booked = query({
  args: lessonAndChild,
  returns: v.nullable(v.id("bookings")),
  handler: async (ctx, { lesson, child }) => {
    if (!(await ctx.db.get(lesson))) throw new ConvexError("no such lesson");
    return (await find(ctx, lesson, child))?._id ?? null;
  },
});

export const book = mutation({
  args: lessonAndChild,
  returns: v.id("bookings"),
  handler: (ctx, { lesson, child }) => insist(ctx, lesson, child),
});

export const cancel = mutation({
  args: { booking: v.id("bookings") },
  returns: v.null(),
  handler: async (ctx, { booking }) => {
    await giveBack(ctx, booking);
    return null;
  },
});

export const move = mutation({
  args: { booking: v.id("bookings"), lesson: v.id("lessons") },
  returns: v.id("bookings"),
  handler: async (ctx, { booking, lesson }) => insist(ctx, lesson, await giveBack(ctx, booking)),
});

export const bookAll = mutation({
  args: lessonAndChildren,
  returns: v.array(v.id("bookings")),
  handler: async (ctx, { lesson, children }) => {
    const all: Id<"bookings">[] = [];
    for (const child of children) all.push(await insist(ctx, lesson, child));
    return all;
  },
});

export const tryAll = mutation({
  args: lessonAndChildren,
  returns: v.array(v.string()),
  handler: async (ctx, { lesson, children }) => {
    const all: string[] = [];
    for (const child of children) {
      const outcome = await attempt(ctx, lesson, child);
      all.push("booking" in outcome ? outcome.booking : outcome.refusal);
    }
    return all;
  },
});
