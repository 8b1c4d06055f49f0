// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { createFunctionHandle } from "convex/server";
import { v } from "convex/values";
import { components, internal } from "./_generated/api";
import type { Doc, Id } from "./_generated/dataModel";
import { internalMutation, type MutationCtx } from "./_generated/server";
import { refuse } from "./lib/errors";
import { feeOf, priceOf } from "./lib/prices";
import { HOUR_MS } from "./lib/times";
import { PLATFORM } from "./wallet";

/** A hold is placed for so long, and renewed (see keepHold) while its lesson is booked. */
const HOLD_MS = 13 * 24 * HOUR_MS;

/** Holds the price of a new lesson on its student's account. */
export async function holdPrice(ctx: MutationCtx, lesson: Doc<"lessons">): Promise<void> {
  const payment = await ctx.db.insert("payments", { lesson: lesson._id, holds: 0 });
  await placeFor(ctx, payment, lesson, priceOf(lesson.rate, lesson.minutes));
}

/** Changes what is held for a lesson to the price of another length. */
export async function changeHeld(
  ctx: MutationCtx,
  lesson: Doc<"lessons">,
  minutes: number,
): Promise<void> {
  const payment = await findPayment(ctx, lesson._id);
  if (payment === null) return;
  const price = priceOf(lesson.rate, minutes);
  if (price === priceOf(lesson.rate, lesson.minutes)) return;
  if (payment.hold !== undefined) {
    await ctx.runMutation(components.purse.holds.release, { hold: payment.hold });
    await ctx.db.patch("payments", payment._id, { hold: undefined });
  }
  await placeFor(ctx, payment._id, lesson, price);
}

/** Pays so many cents of what is held to the tutor, less our fee; the rest goes back. */
export async function payTutor(
  ctx: MutationCtx,
  lesson: Doc<"lessons">,
  cents: number,
): Promise<void> {
  const payment = await findPayment(ctx, lesson._id);
  if (payment?.hold === undefined) return;
  const tutor = await ctx.db.get("tutors", lesson.tutor);
  const user = tutor && (await ctx.db.get("users", tutor.user));
  if (cents <= 0 || !user) {
    await ctx.runMutation(components.purse.holds.release, { hold: payment.hold });
    return;
  }
  const fee = feeOf(cents);
  const parts = [{ account: user.account, amount: BigInt(cents - fee) }];
  if (fee > 0) {
    const platform: string = await ctx.runMutation(components.purse.accounts.open, {
      ref: PLATFORM,
    });
    parts.push({ account: platform, amount: BigInt(fee) });
  }
  const isPaid: boolean = await ctx.runMutation(components.purse.holds.settle, {
    hold: payment.hold,
    parts,
  });
  if (isPaid) return;
  // The hold has ended after all, and the student has the money: take it from there if it still is.
  const hold = await place(ctx, payment, lesson, cents);
  if (hold === null) {
    console.error(`lesson ${lesson._id}: ${cents} cents could not be paid`);
    return;
  }
  await ctx.runMutation(components.purse.holds.settle, { hold, parts });
}

/** The purse calls this a day before a hold ends. */
export const keepHold = internalMutation({
  args: { hold: v.string(), reference: v.string(), until: v.number() },
  returns: v.null(),
  handler: async (ctx, { hold }): Promise<null> => {
    const payment = await ctx.db
      .query("payments")
      .withIndex("by_hold", (q) => q.eq("hold", hold))
      .first();
    const lesson = payment && (await ctx.db.get("lessons", payment.lesson));
    if (lesson?.state !== "booked") return null;
    const until = Date.now() + HOLD_MS;
    const isOpen: boolean = await ctx.runMutation(components.purse.holds.renew, { hold, until });
    if (!isOpen) console.error(`lesson ${lesson._id}: its hold is not open`);
    return null;
  },
});

async function findPayment(
  ctx: MutationCtx,
  lesson: Id<"lessons">,
): Promise<Doc<"payments"> | null> {
  return await ctx.db
    .query("payments")
    .withIndex("by_lesson", (q) => q.eq("lesson", lesson))
    .unique();
}

/** Holds a price, if there is one, and refuses if the student has too little. */
async function placeFor(
  ctx: MutationCtx,
  id: Id<"payments">,
  lesson: Doc<"lessons">,
  price: number,
): Promise<void> {
  if (price <= 0) return;
  const payment = (await ctx.db.get("payments", id)) ?? refuse("not_found");
  if ((await place(ctx, payment, lesson, price)) === null) refuse("funds");
}

/** Places another hold for a lesson; null if the student has too little. */
async function place(
  ctx: MutationCtx,
  payment: Doc<"payments">,
  lesson: Doc<"lessons">,
  cents: number,
): Promise<string | null> {
  const student = await ctx.db.get("users", lesson.student);
  if (student === null || !Number.isSafeInteger(cents)) return null;
  const holds = payment.holds + 1;
  const onEnding: string = await createFunctionHandle(internal.payments.keepHold);
  const result = await ctx.runMutation(components.purse.holds.place, {
    account: student.account,
    amount: BigInt(cents),
    reference: `lesson/${lesson._id}/${holds}`,
    until: Date.now() + HOLD_MS,
    onEnding,
  });
  if (result.kind !== "held") return null;
  await ctx.db.patch("payments", payment._id, { hold: result.hold, holds });
  return result.hold;
}
