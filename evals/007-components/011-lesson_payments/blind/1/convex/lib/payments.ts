// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { createFunctionHandle } from "convex/server";
import { components, internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { PLATFORM } from "../wallet";
import { refuse } from "./errors";
import { feeOf, priceOf } from "./prices";
import { HOUR_MS } from "./times";

/*
 * Lessons are paid from the student's wallet: the price is held in the purse from booking on. Lessons
 * without `holds` were booked before that and are paid in cash; here nothing happens for them. For those
 * that cost nothing, there is no hold.
 */

/** A hold ends within 14 days; it is renewed (payments.ts) as long as the lesson is booked. */
export const HOLD_MS = 14 * 24 * HOUR_MS - HOUR_MS;

/** Holds the price of a lesson that was just booked. */
export async function holdPrice(ctx: MutationCtx, id: Id<"lessons">): Promise<void> {
  const lesson = await ctx.db.get("lessons", id);
  if (lesson === null) return;
  await changeHold(ctx, lesson, priceOf(lesson.rate, lesson.minutes));
}

/** Changes what is held for a lesson to the price of another length. */
export async function holdForLength(
  ctx: MutationCtx,
  lesson: Doc<"lessons">,
  minutes: number,
): Promise<void> {
  if (lesson.holds === undefined) return;
  const price = priceOf(lesson.rate, minutes);
  if (price === priceOf(lesson.rate, lesson.minutes)) return;
  // What was held counts for the new price, too.
  await giveBack(ctx, lesson);
  await changeHold(ctx, lesson, price);
}

/** Gives all that is held for a lesson back to its student. */
export async function giveBack(ctx: MutationCtx, lesson: Doc<"lessons">): Promise<void> {
  if (lesson.hold === undefined) return;
  await ctx.runMutation(components.purse.holds.release, { hold: lesson.hold });
}

/**
 * Pays so much for a lesson to its tutor, less our fee; what else is held goes back to the student.
 * Returns false if there was no money for it any more.
 */
export async function payTutor(
  ctx: MutationCtx,
  lesson: Doc<"lessons">,
  amount: number,
): Promise<boolean> {
  if (lesson.holds === undefined) return true;
  if (amount <= 0) {
    await giveBack(ctx, lesson);
    return true;
  }
  if (lesson.hold !== undefined && (await settle(ctx, lesson, lesson.hold, amount))) return true;
  // The hold has ended, which should not have happened: the student owes it all the same.
  const hold = await place(ctx, lesson, amount);
  return hold !== null && (await settle(ctx, lesson, hold, amount));
}

async function settle(
  ctx: MutationCtx,
  lesson: Doc<"lessons">,
  hold: string,
  amount: number,
): Promise<boolean> {
  const tutor = (await ctx.db.get("tutors", lesson.tutor)) ?? refuse("not_found");
  const { account } = (await ctx.db.get("users", tutor.user)) ?? refuse("not_found");
  const fee = feeOf(amount);
  const parts = [{ account, amount: BigInt(amount - fee) }];
  if (fee > 0) {
    const platform: string = await ctx.runMutation(components.purse.accounts.open, {
      ref: PLATFORM,
    });
    parts.push({ account: platform, amount: BigInt(fee) });
  }
  return await ctx.runMutation(components.purse.holds.settle, { hold, parts });
}

/** Holds an amount in place of what was held; without enough money the call is refused. */
async function changeHold(
  ctx: MutationCtx,
  lesson: Doc<"lessons">,
  amount: number,
): Promise<void> {
  if (amount <= 0) {
    await ctx.db.patch("lessons", lesson._id, { hold: undefined });
    return;
  }
  const hold = (await place(ctx, lesson, amount)) ?? refuse("funds");
  await ctx.db.patch("lessons", lesson._id, { hold });
}

/** Places a hold on the student's account; null if too little is available. */
async function place(
  ctx: MutationCtx,
  lesson: Doc<"lessons">,
  amount: number,
): Promise<string | null> {
  const { account } = (await ctx.db.get("users", lesson.student)) ?? refuse("not_found");
  const holds = (lesson.holds ?? 0) + 1;
  await ctx.db.patch("lessons", lesson._id, { holds });
  const placed = await ctx.runMutation(components.purse.holds.place, {
    account,
    amount: BigInt(amount),
    // Each hold of a lesson is an operation of its own.
    reference: `lesson/${lesson._id}/${holds}`,
    until: Date.now() + HOLD_MS,
    onEnding: await createFunctionHandle(internal.payments.onEnding),
  });
  if (placed.kind === "declined") return null;
  if (placed.kind === "closed") throw new Error(`The hold ${placed.hold} was closed before`);
  return placed.hold;
}
