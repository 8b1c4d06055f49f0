// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { createFunctionHandle } from "convex/server";
import { v } from "convex/values";
import { components, internal } from "./_generated/api";
import type { Doc, Id } from "./_generated/dataModel";
import { internalMutation, type MutationCtx } from "./_generated/server";
import { refuse } from "./lib/errors";
import { feeOf, priceOf } from "./lib/prices";
import { HELD_MS } from "./lib/times";
import { PLATFORM } from "./wallet";

/*
 * While a lesson is booked, its price is held on its student's account. The hold is settled or released
 * in the transaction that ends the lesson; until then it is renewed whenever it is about to end.
 *
 * Lessons without `payment` are paid in cash: nothing is held or paid for them.
 */

type Payment = NonNullable<Doc<"lessons">["payment"]>;

/** Holds the price of a lesson; `former` is the number of holds that the lesson had before. */
export async function holdPrice(
  ctx: MutationCtx,
  lesson: Id<"lessons">,
  account: string,
  price: number,
  former: number,
): Promise<Payment> {
  // The purse holds no amounts of zero.
  if (price === 0) return { hold: null, count: former };
  if (price > Number.MAX_SAFE_INTEGER) refuse("funds");
  const count = former + 1;
  const reference = `lesson/${lesson}/${count}`;
  const placed = await ctx.runMutation(components.purse.holds.place, {
    account,
    amount: BigInt(price),
    reference,
    until: Date.now() + HELD_MS,
    onEnding: await createFunctionHandle(internal.payments.keepHeld),
  });
  if (placed.kind === "declined") refuse("funds");
  if (placed.kind === "closed") throw new Error(`The reference ${reference} is used`);
  return { hold: placed.hold, count };
}

/** Holds the price of another length of a booked lesson, and returns its payment from now on. */
export async function changeHeld(
  ctx: MutationCtx,
  lesson: Doc<"lessons">,
  minutes: number,
): Promise<Payment | undefined> {
  const { payment } = lesson;
  const price = priceOf(lesson.rate, minutes);
  if (payment === undefined || price === priceOf(lesson.rate, lesson.minutes)) return payment;
  const student = (await ctx.db.get("users", lesson.student)) ?? refuse("not_found");
  // What was held counts for the new price. If that is too much, all of this is undone.
  if (payment.hold !== null) {
    await ctx.runMutation(components.purse.holds.release, { hold: payment.hold });
  }
  return await holdPrice(ctx, lesson._id, student.account, price, payment.count);
}

/** Pays what is owed to the tutor of a lesson that ends, less our fee; the student gets the rest back. */
export async function endPayment(
  ctx: MutationCtx,
  lesson: Doc<"lessons">,
  owed: number,
): Promise<void> {
  const hold = lesson.payment?.hold ?? null;
  if (hold === null) return;
  const parts = await partsOf(ctx, lesson, owed);
  const wasOpen: boolean =
    parts.length === 0
      ? await ctx.runMutation(components.purse.holds.release, { hold })
      : await ctx.runMutation(components.purse.holds.settle, { hold, parts });
  if (!wasOpen) console.error(`The hold ${hold} of the lesson ${lesson._id} was not open any more`);
}

/** Returns who gets what of an amount that is owed to a tutor, without the student and without zeros. */
async function partsOf(
  ctx: MutationCtx,
  lesson: Doc<"lessons">,
  owed: number,
): Promise<{ account: string; amount: bigint }[]> {
  const tutor = await ctx.db.get("tutors", lesson.tutor);
  const payee = tutor && (await ctx.db.get("users", tutor.user));
  if (!payee) return [];
  const parts: { account: string; amount: bigint }[] = [];
  const fee = feeOf(owed);
  // Who is their own tutor keeps their money: what is not paid goes back.
  if (owed > fee && payee._id !== lesson.student) {
    parts.push({ account: payee.account, amount: BigInt(owed - fee) });
  }
  if (fee > 0) {
    const account: string = await ctx.runMutation(components.purse.accounts.open, {
      ref: PLATFORM,
    });
    parts.push({ account, amount: BigInt(fee) });
  }
  return parts;
}

/** The purse says that a hold, which is still open, ends soon: its lesson is still booked. */
export const keepHeld = internalMutation({
  args: { hold: v.string(), reference: v.string(), until: v.number() },
  returns: v.null(),
  handler: async (ctx, { hold, until }): Promise<null> => {
    const current = await ctx.runQuery(components.purse.holds.get, { hold });
    // The purse may say it more than once.
    if (current?.state === "open" && current.until === until) {
      await ctx.runMutation(components.purse.holds.renew, { hold, until: Date.now() + HELD_MS });
    }
    return null;
  },
});
