// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

type Refusal = "no such lesson" | "booked already" | "full";
type Outcome = { booking: Id<"bookings"> } | { refusal: Refusal };

export const lessonAndChild = { lesson: v.id("lessons"), child: v.string() };
export const lessonAndChildren = { lesson: v.id("lessons"), children: v.array(v.string()) };

export function find(ctx: QueryCtx, lesson: Id<"lessons">, child: string) {
  return ctx.db
    .query("bookings")
    .withIndex("by_lesson_and_child", (q) => q.eq("lesson", lesson).eq("child", child))
    .first();
}

export async function attempt(
  ctx: MutationCtx,
  lesson: Id<"lessons">,
  child: string,
): Promise<Outcome> {
  const [found, mine] = await Promise.all([ctx.db.get(lesson), find(ctx, lesson, child)]);
  if (!found) return { refusal: "no such lesson" };
  if (mine) return { refusal: "booked already" };
  if (found.places - found.taken <= 0) return { refusal: "full" };
  const booking = await ctx.db.insert("bookings", { lesson, child });
  await ctx.db.patch(lesson, { taken: found.taken + 1 });
  return { booking };
}

export async function insist(ctx: MutationCtx, lesson: Id<"lessons">, child: string) {
  const outcome = await attempt(ctx, lesson, child);
  if ("refusal" in outcome) throw new ConvexError(outcome.refusal);
  return outcome.booking;
}

export async function giveBack(ctx: MutationCtx, id: Id<"bookings">) {
  const booking = await ctx.db.get(id);
  if (!booking) throw new ConvexError("no such booking");
  const lesson = await ctx.db.get(booking.lesson);
  if (lesson) await ctx.db.patch(lesson._id, { taken: lesson.taken - 1 });
  await ctx.db.delete(id);
  return booking.child;
}
