// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/*
 * The rules of holds
 *
 * - A hold puts credits aside for 30 minutes: a whole number, at least one ("bad credits").
 *   Nobody has more than three open holds ("three holds").
 * - If fewer are available, there is no hold, and the answer tells how many are missing. Nothing
 *   else changes, but the member gets the notice "missing N".
 * - While a hold is open ("not open"), it can be captured, in whole or in part: at least one
 *   credit ("bad credits"), at most what is on hold ("too much"). Those that are used first are
 *   spent, and the rest goes back.
 * - A hold can be released while it is open. At the end of its 30 minutes it lapses, which is the
 *   same as a release; at that moment it is open no more.
 * - What goes back, goes back to the lots it was taken from. If such a lot has ended meanwhile, it
 *   expires at once, and if the lot was withdrawn, it is withdrawn at once.
 * - What is on hold is safe from the end and the withdrawal of its lot; it can still be captured.
 * - Staff refund what was captured, in whole or in part, for 14 days from the capture ("too
 *   late" from that moment on), in several steps if need be, altogether no more than was captured
 *   ("too much"), at least one credit each time ("bad credits"). What was used last goes back
 *   first. It goes back to its lots; for lots that have ended or were withdrawn, the member gets
 *   it as one new lot instead, for 7 days, of which that day is the first.
 */
import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { mutation, query } from "./_generated/server";
import type { QueryCtx } from "./_generated/server";
import { book, tell } from "./model/book";
import {
  addLot,
  countAvailable,
  countParts,
  giveBack,
  openHolds,
  splitParts,
  take,
} from "./model/purse";
import { refuse, requireMember, requireStaff } from "./model/session";
import { checkCredits, DAY, MINUTE, startOfDay } from "./model/time";

const LASTS = 30 * MINUTE;
const MOST_OPEN = 3;
const REFUNDED_WITHIN = 14 * DAY;
const REFUND_LASTS = 7 * DAY;

async function requireOpen(ctx: QueryCtx, id: Id<"holds">) {
  const member = await requireMember(ctx);
  const hold = await ctx.db.get("holds", id);
  if (hold?.member !== member._id) refuse("not found");
  if (hold.state !== "open" || hold.lapses <= Date.now()) refuse("not open");
  return hold;
}

/** Puts credits aside. Returns the hold, or how many credits are missing. */
export const place = mutation({
  args: { credits: v.number(), purpose: v.string() },
  returns: v.object({ hold: v.union(v.id("holds"), v.null()), missing: v.number() }),
  handler: async (ctx, { credits, purpose }) => {
    const { _id: member } = await requireMember(ctx);
    if (!checkCredits(credits)) refuse("bad credits");
    if ((await openHolds(ctx, member)).length >= MOST_OPEN) refuse("three holds");
    const taken = await take(ctx, member, credits);
    if (taken === null) {
      const missing = credits - (await countAvailable(ctx, member));
      await tell(ctx, member, `missing ${missing}`);
      return { hold: null, missing };
    }
    const parts = taken.map((part) => ({ lot: part.lot, credits: part.credits }));
    const lapses = Date.now() + LASTS;
    const hold = await ctx.db.insert("holds", {
      member,
      purpose,
      parts,
      state: "open",
      lapses,
      refunded: 0,
    });
    await ctx.scheduler.runAt(lapses, internal.jobs.lapse, { hold });
    return { hold, missing: 0 };
  },
});

/** Spends credits of a hold; the rest goes back. */
export const capture = mutation({
  args: { hold: v.id("holds"), credits: v.number() },
  returns: v.null(),
  handler: async (ctx, { hold: id, credits }) => {
    const { member, parts } = await requireOpen(ctx, id);
    if (!checkCredits(credits)) refuse("bad credits");
    if (credits > countParts(parts)) refuse("too much");
    const now = Date.now();
    const { first, rest } = splitParts(parts, credits);
    await ctx.db.patch("holds", id, { state: "captured", parts: first, capturedAt: now });
    await book(ctx, member, "spent", -credits, now);
    await giveBack(ctx, member, rest, now);
    return null;
  },
});

/** Gives all credits of a hold back. */
export const release = mutation({
  args: { hold: v.id("holds") },
  returns: v.null(),
  handler: async (ctx, { hold: id }) => {
    const { member, parts } = await requireOpen(ctx, id);
    await ctx.db.patch("holds", id, { state: "released" });
    await giveBack(ctx, member, parts, Date.now());
    return null;
  },
});

/** Refunds captured credits. */
export const refund = mutation({
  args: { hold: v.id("holds"), credits: v.number() },
  returns: v.null(),
  handler: async (ctx, { hold: id, credits }) => {
    await requireStaff(ctx);
    const hold = await ctx.db.get("holds", id);
    if (hold === null || hold.capturedAt === undefined) refuse("not found");
    const now = Date.now();
    if (now >= hold.capturedAt + REFUNDED_WITHIN) refuse("too late");
    if (!checkCredits(credits)) refuse("bad credits");
    if (hold.refunded + credits > countParts(hold.parts)) refuse("too much");
    const backwards = hold.parts.toReversed();
    const { first } = splitParts(splitParts(backwards, hold.refunded).rest, credits);
    await ctx.db.patch("holds", id, { refunded: hold.refunded + credits });
    let homeless = 0;
    for (const part of first) {
      const lot = await ctx.db.get("lots", part.lot);
      if (lot === null || lot.withdrawn || lot.ends <= now) homeless += part.credits;
      else await ctx.db.patch("lots", part.lot, { left: lot.left + part.credits });
    }
    if (homeless > 0) await addLot(ctx, hold.member, homeless, startOfDay(now) + REFUND_LASTS);
    await book(ctx, hold.member, "refunded", credits, now);
    return null;
  },
});

/** The caller's open holds, in no certain order. */
export const mine = query({
  args: {},
  returns: v.array(
    v.object({
      hold: v.id("holds"),
      purpose: v.string(),
      credits: v.number(),
      lapses: v.number(),
    }),
  ),
  handler: async (ctx) => {
    const holds = await openHolds(ctx, (await requireMember(ctx))._id);
    return holds.map(({ _id, purpose, parts, lapses }) => ({
      hold: _id,
      purpose,
      credits: countParts(parts),
      lapses,
    }));
  },
});
