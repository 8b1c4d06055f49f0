// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/*
 * The rules of lots
 *
 * - Staff grant a lot of credits to a member, who is given by name ("no such member"): a whole
 *   number, at least one ("bad credits"), for 1 to 20 whole days ("bad days"). The day of the
 *   grant is the first, and the midnight (UTC) after the last day is the end: from then on the
 *   credits cannot be used.
 * - What ends sooner is used first; of equal ends, what came to the member earlier.
 * - What is left in a lot at its end, and is not on hold, expires at that moment.
 * - Staff withdraw a lot that has not ended: what is left in it and is not on hold is gone. If
 *   this is nothing, they are refused ("nothing left").
 */
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { book } from "./model/book";
import { addLot, countAvailable, countParts, openHolds, usableLots } from "./model/purse";
import { findByName, refuse, requireMember, requireStaff } from "./model/session";
import { checkCredits, DAY, startOfDay } from "./model/time";

const MOST_DAYS = 20;

/** Grants a lot. Returns its id. */
export const grant = mutation({
  args: { to: v.string(), credits: v.number(), days: v.number() },
  returns: v.id("lots"),
  handler: async (ctx, { to, credits, days }) => {
    await requireStaff(ctx);
    if (!checkCredits(credits)) refuse("bad credits");
    if (!Number.isInteger(days) || days < 1 || days > MOST_DAYS) refuse("bad days");
    const member = (await findByName(ctx, to)) ?? refuse("no such member");
    const now = Date.now();
    const lot = await addLot(ctx, member._id, credits, startOfDay(now) + days * DAY);
    await book(ctx, member._id, "granted", credits, now);
    return lot;
  },
});

/** Withdraws what is left in a lot. Returns how much this was. */
export const withdraw = mutation({
  args: { lot: v.id("lots") },
  returns: v.number(),
  handler: async (ctx, { lot: id }) => {
    await requireStaff(ctx);
    const lot = (await ctx.db.get("lots", id)) ?? refuse("not found");
    if (lot.left === 0 || lot.ends <= Date.now()) refuse("nothing left");
    await ctx.db.patch("lots", id, { left: 0, withdrawn: true });
    await book(ctx, lot.member, "withdrawn", -lot.left, Date.now());
    return lot.left;
  },
});

/** The caller's lots with something left, in the order in which they are used. */
export const mine = query({
  args: {},
  returns: v.array(v.object({ lot: v.id("lots"), left: v.number(), ends: v.number() })),
  handler: async (ctx) => {
    const lots = await usableLots(ctx, (await requireMember(ctx))._id);
    return lots.map(({ _id, left, ends }) => ({ lot: _id, left, ends }));
  },
});

/** What the caller can use, and what is on hold. */
export const balance = query({
  args: {},
  returns: v.object({ available: v.number(), held: v.number() }),
  handler: async (ctx) => {
    const member = (await requireMember(ctx))._id;
    const holds = await openHolds(ctx, member);
    const held = holds.reduce((sum, { parts }) => sum + countParts(parts), 0);
    return { available: await countAvailable(ctx, member), held };
  },
});
