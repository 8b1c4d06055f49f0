// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc, Id } from "./_generated/dataModel";
import { internalMutation, mutation, query, type MutationCtx } from "./_generated/server";
import { refuse } from "./lib/errors";
import { lateShareOf, priceOf } from "./lib/prices";
import { requireUser } from "./lib/session";
import { LATE_MS, SILENT_MS } from "./lib/times";
import { changeHeld, endPayment, holdPrice } from "./payments";
import { lessonState } from "./schema";

const MINUTE_MS = 60 * 1000;
const LONGEST_MINUTES = 240;
const BATCH = 50;

/*
 * A lesson is booked, and then done or cancelled, for good.
 *
 * Whoever cancels gets nothing from the other side: a student who cancels late (lib/times.ts) owes the
 * tutor a share of the price, and a tutor who cancels, or does not come, is owed nothing.
 */

export const book = mutation({
  args: { tutor: v.id("tutors"), start: v.number(), minutes: v.number() },
  returns: v.id("lessons"),
  handler: async (ctx, { tutor: id, start, minutes }): Promise<Id<"lessons">> => {
    const student = await requireUser(ctx);
    const tutor = (await ctx.db.get("tutors", id)) ?? refuse("not_found");
    checkTime(start, minutes);
    const end = start + minutes * MINUTE_MS;
    await refuseOverlap(ctx, id, start, end);
    const lesson = await ctx.db.insert("lessons", {
      tutor: id,
      student: student._id,
      rate: tutor.rate,
      start,
      minutes,
      end,
      state: "booked",
    });
    const price = priceOf(tutor.rate, minutes);
    const payment = await holdPrice(ctx, lesson, student.account, price, 0);
    await ctx.db.patch("lessons", lesson, { payment });
    return lesson;
  },
});

/** Moves a lesson, as often and as far as student and tutor like. */
export const reschedule = mutation({
  args: { lesson: v.id("lessons"), start: v.number() },
  returns: v.null(),
  handler: async (ctx, { lesson: id, start }) => {
    const { lesson } = await getOwnBooked(ctx, id);
    checkTime(start, lesson.minutes);
    const end = start + lesson.minutes * MINUTE_MS;
    await refuseOverlap(ctx, lesson.tutor, start, end, id);
    await ctx.db.patch("lessons", id, { start, end });
    return null;
  },
});

/** Makes a lesson shorter or longer. */
export const changeLength = mutation({
  args: { lesson: v.id("lessons"), minutes: v.number() },
  returns: v.null(),
  handler: async (ctx, { lesson: id, minutes }): Promise<null> => {
    const { lesson } = await getOwnBooked(ctx, id);
    checkTime(lesson.start, minutes);
    const end = lesson.start + minutes * MINUTE_MS;
    await refuseOverlap(ctx, lesson.tutor, lesson.start, end, id);
    const payment = await changeHeld(ctx, lesson, minutes);
    await ctx.db.patch("lessons", id, { minutes, end, payment });
    return null;
  },
});

/** Cancels a lesson, by its student or its tutor. */
export const cancel = mutation({
  args: { lesson: v.id("lessons") },
  returns: v.null(),
  handler: async (ctx, { lesson: id }): Promise<null> => {
    const { lesson, isStudent } = await getOwnBooked(ctx, id);
    const isLate = Date.now() > lesson.start - LATE_MS;
    await ctx.db.patch("lessons", id, { state: "cancelled" });
    const owed = isStudent && isLate ? lateShareOf(priceOf(lesson.rate, lesson.minutes)) : 0;
    await endPayment(ctx, lesson, owed);
    return null;
  },
});

/** The student says that the lesson has taken place. */
export const confirm = mutation({
  args: { lesson: v.id("lessons") },
  returns: v.null(),
  handler: async (ctx, { lesson: id }): Promise<null> => {
    const { lesson, isStudent } = await getOwnBooked(ctx, id);
    if (!isStudent || lesson.end > Date.now()) refuse("invalid");
    await finish(ctx, lesson);
    return null;
  },
});

/** Ends lessons about which the student says nothing. */
export const closeSilent = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx): Promise<null> => {
    const silent = await ctx.db
      .query("lessons")
      .withIndex("by_state_and_end", (q) =>
        q.eq("state", "booked").lt("end", Date.now() - SILENT_MS),
      )
      .take(BATCH);
    for (const lesson of silent) await finish(ctx, lesson);
    if (silent.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.lessons.closeSilent, {});
    }
    return null;
  },
});

export const get = query({
  args: { lesson: v.id("lessons") },
  returns: v.nullable(
    v.object({ start: v.number(), minutes: v.number(), rate: v.number(), state: lessonState }),
  ),
  handler: async (ctx, { lesson: id }) => {
    const user = await requireUser(ctx);
    const lesson = await ctx.db.get("lessons", id);
    const tutor = lesson && (await ctx.db.get("tutors", lesson.tutor));
    if (!lesson || (lesson.student !== user._id && tutor?.user !== user._id)) return null;
    const { start, minutes, rate, state } = lesson;
    return { start, minutes, rate, state };
  },
});

/** Returns a booked lesson of the user, who is its student or its tutor. */
async function getOwnBooked(
  ctx: MutationCtx,
  id: Id<"lessons">,
): Promise<{ lesson: Doc<"lessons">; isStudent: boolean }> {
  const user = await requireUser(ctx);
  const lesson = (await ctx.db.get("lessons", id)) ?? refuse("not_found");
  const tutor = await ctx.db.get("tutors", lesson.tutor);
  const isStudent = lesson.student === user._id;
  if (!isStudent && tutor?.user !== user._id) refuse("not_found");
  if (lesson.state !== "booked") refuse("closed");
  return { lesson, isStudent };
}

/** A booked lesson is done: its tutor gets the price. */
async function finish(ctx: MutationCtx, lesson: Doc<"lessons">): Promise<void> {
  await ctx.db.patch("lessons", lesson._id, { state: "done" });
  await endPayment(ctx, lesson, priceOf(lesson.rate, lesson.minutes));
}

function checkTime(start: number, minutes: number): void {
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > LONGEST_MINUTES) refuse("invalid");
  if (start < Date.now()) refuse("invalid");
}

/** A tutor gives one lesson at a time. */
async function refuseOverlap(
  ctx: MutationCtx,
  tutor: Id<"tutors">,
  start: number,
  end: number,
  except?: Id<"lessons">,
): Promise<void> {
  const near = await ctx.db
    .query("lessons")
    .withIndex("by_tutor_and_start", (q) =>
      q
        .eq("tutor", tutor)
        .gt("start", start - LONGEST_MINUTES * MINUTE_MS)
        .lt("start", end),
    )
    .take(500);
  const others = near.filter(({ _id, state }) => state === "booked" && _id !== except);
  if (others.some((lesson) => lesson.end > start)) refuse("busy");
}
