// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { createFunctionHandle } from "convex/server";
import { v } from "convex/values";
import { components, internal } from "./_generated/api";
import type { Doc, Id } from "./_generated/dataModel";
import { internalMutation, type MutationCtx } from "./_generated/server";
import { refuse } from "./lib/errors";
import { feeOf, lateShareOf, priceOf } from "./lib/prices";
import { PLATFORM } from "./wallet";

/** The longest hold that the purse allows; it is renewed for as long as the lesson is booked. */
const HOLD_MS = 14 * 24 * 60 * 60 * 1000;

/** Holds the price of a lesson that has no open hold. */
export async function holdPrice(ctx: MutationCtx, id: Id<"lessons">): Promise<void> {
  const lesson = await ctx.db.get("lessons", id);
  if (lesson?.holdings === undefined) return;
  const price = priceOf(lesson.rate, lesson.minutes);
  const student = await ctx.db.get("users", lesson.student);
  if (price === 0 || student === null) return;
  const holdings = lesson.holdings + 1;
  const placed = await ctx.runMutation(components.purse.holds.place, {
    account: student.account,
    amount: BigInt(price),
    reference: `lesson/${id}/${holdings}`,
    until: Date.now() + HOLD_MS,
    onEnding: await createFunctionHandle(internal.payments.renew),
  });
  if (placed.kind !== "held") refuse("funds");
  await ctx.db.patch("lessons", id, { holdings, hold: placed.hold });
}

export const renew = internalMutation({
  args: { hold: v.string(), reference: v.string(), until: v.number() },
  returns: v.null(),
  handler: async (ctx, { hold }) => {
    const lesson = await ctx.db
      .query("lessons")
      .withIndex("by_hold", (q) => q.eq("hold", hold))
      .unique();
    if (lesson?.state === "booked") {
      const until = Date.now() + HOLD_MS;
      await ctx.runMutation(components.purse.holds.renew, { hold, until });
    }
    return null;
  },
});

/** Gives all that is held for a lesson back to its student. */
export async function giveBack(ctx: MutationCtx, lesson: Doc<"lessons">): Promise<void> {
  const { hold } = lesson;
  if (hold === undefined) return;
  await ctx.db.patch("lessons", lesson._id, { hold: undefined });
  await ctx.runMutation(components.purse.holds.release, { hold });
}

export async function payPrice(ctx: MutationCtx, lesson: Doc<"lessons">): Promise<void> {
  await pay(ctx, lesson, priceOf(lesson.rate, lesson.minutes));
}

export async function payLateShare(ctx: MutationCtx, lesson: Doc<"lessons">): Promise<void> {
  await pay(ctx, lesson, lateShareOf(priceOf(lesson.rate, lesson.minutes)));
}

/** Pays an amount of what is held to the tutor, less our fee. */
async function pay(ctx: MutationCtx, lesson: Doc<"lessons">, amount: number): Promise<void> {
  const { hold } = lesson;
  const tutor = await ctx.db.get("tutors", lesson.tutor);
  const payee = tutor && (await ctx.db.get("users", tutor.user));
  if (hold === undefined) return;
  if (amount === 0 || !payee) {
    await giveBack(ctx, lesson);
    return;
  }
  await ctx.db.patch("lessons", lesson._id, { hold: undefined });
  const fee = feeOf(amount);
  const parts = [{ account: payee.account, amount: BigInt(amount - fee) }];
  if (fee > 0) {
    const account: string = await ctx.runMutation(components.purse.accounts.open, {
      ref: PLATFORM,
    });
    parts.push({ account, amount: BigInt(fee) });
  }
  await ctx.runMutation(components.purse.holds.settle, { hold, parts });
}
