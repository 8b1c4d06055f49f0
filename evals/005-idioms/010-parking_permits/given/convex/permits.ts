// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/*
 * The rules of permits
 *
 * - A permit is bought for a number of whole days, at least one ("bad days"). The day of the
 *   purchase is the first, and the permit is valid from the purchase until the midnight that
 *   ends its last day; at this midnight it is not valid any more.
 * - An extension adds days after its last day. It is for at least one day as well.
 * - Of no permit do more than 21 days lie ahead, today included ("too long").
 * - Capitals, blanks and hyphens make no difference in plates, wherever they are given. They are
 *   shown in capitals without blanks and hyphens.
 * - In a zone a plate has at most one valid permit, whoever holds it ("plate has permit").
 * - Nobody has more than two valid permits, in all zones together ("two permits").
 * - The holder can move a permit to another plate; from then on it is not valid for the old one.
 */
import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, query } from "./_generated/server";
import type { MutationCtx, QueryCtx } from "./_generated/server";
import { DAY, startOfDay } from "./model/days";
import { countFree, settleLine } from "./model/places";
import { priceDays, refundOf } from "./model/prices";
import { refuse, requirePerson, requireRole } from "./model/session";

const MOST_DAYS = 21;
const MOST_PERMITS = 2;

function plainPlate(plate: string) {
  return plate.replace(/[\s-]/g, "").toUpperCase();
}

async function validForPlate(ctx: QueryCtx, zone: Id<"zones">, plate: string) {
  return await ctx.db
    .query("permits")
    .withIndex("by_plate", (q) => q.eq("zone", zone).eq("plate", plate).gt("ends", Date.now()))
    .first();
}

async function validOf(ctx: QueryCtx, owner: string) {
  return await ctx.db
    .query("permits")
    .withIndex("by_owner", (q) => q.eq("owner", owner).gt("ends", Date.now()))
    .collect();
}

async function requireOwn(ctx: QueryCtx, id: Id<"permits">) {
  const person = await requirePerson(ctx);
  const permit = await ctx.db.get("permits", id);
  if (permit?.owner !== person || permit.ends <= Date.now()) refuse("not found");
  return permit;
}

function checkDays(days: number, ends: number) {
  if (!Number.isInteger(days) || days < 1) refuse("bad days");
  if (ends > startOfDay(Date.now()) + MOST_DAYS * DAY) refuse("too long");
}

/** Schedules what happens at the end of a permit; if it has another end by then, nothing does. */
async function scheduleEnd(ctx: MutationCtx, permit: Id<"permits">, ends: number) {
  const noon = ends - DAY / 2;
  if (noon > Date.now())
    await ctx.scheduler.runAt(noon, internal.jobs.remind, { permit, ends });
  await ctx.scheduler.runAt(ends, internal.jobs.end, { permit, ends });
}

/** Buys a permit from now on. Returns its id. */
export const buy = mutation({
  args: { zone: v.id("zones"), plate: v.string(), days: v.number() },
  returns: v.id("permits"),
  handler: async (ctx, { zone: id, plate: written, days }) => {
    const owner = await requirePerson(ctx);
    const now = Date.now();
    const zone = (await ctx.db.get("zones", id)) ?? refuse("not found");
    const first = startOfDay(now);
    const ends = first + days * DAY;
    checkDays(days, ends);
    const plate = plainPlate(written);
    if ((await validForPlate(ctx, id, plate)) !== null) refuse("plate has permit");
    if ((await validOf(ctx, owner)).length >= MOST_PERMITS) refuse("two permits");

    await settleLine(ctx, id, now);
    const place = await ctx.db
      .query("waiting")
      .withIndex("by_owner", (q) => q.eq("owner", owner).eq("zone", id))
      .unique();
    const offered = place?.offerEnds !== undefined;
    if (!offered && (await countFree(ctx, zone, now)) === 0) refuse("zone full");
    if (place !== null) await ctx.db.delete("waiting", place._id);

    const paid = priceDays(zone.fee, first, days);
    const permit = { zone: id, owner, plate, boughtAt: now, ends, days, paid };
    const bought = await ctx.db.insert("permits", permit);
    await ctx.db.insert("payments", { at: now, amount: paid });
    await scheduleEnd(ctx, bought, ends);
    return bought;
  },
});

/** Adds days to a valid permit. */
export const extend = mutation({
  args: { permit: v.id("permits"), days: v.number() },
  returns: v.null(),
  handler: async (ctx, { permit: id, days }) => {
    const permit = await requireOwn(ctx, id);
    const ends = permit.ends + days * DAY;
    checkDays(days, ends);
    const zone = (await ctx.db.get("zones", permit.zone)) ?? refuse("not found");
    const price = priceDays(zone.fee, permit.ends, days);
    await ctx.db.patch("permits", id, {
      ends,
      days: permit.days + days,
      paid: permit.paid + price,
    });
    await ctx.db.insert("payments", { at: Date.now(), amount: price });
    await scheduleEnd(ctx, id, ends);
    return null;
  },
});

/** Ends a valid permit now. Returns what is paid back. */
export const cancel = mutation({
  args: { permit: v.id("permits") },
  returns: v.number(),
  handler: async (ctx, { permit: id }) => {
    const permit = await requireOwn(ctx, id);
    const now = Date.now();
    const refund = refundOf(permit, now);
    await ctx.db.insert("payments", { at: now, amount: -refund });
    await ctx.db.patch("permits", id, { ends: now });
    await settleLine(ctx, permit.zone, now);
    return refund;
  },
});

/** Moves a valid permit to another plate. */
export const move = mutation({
  args: { permit: v.id("permits"), plate: v.string() },
  returns: v.null(),
  handler: async (ctx, { permit: id, plate: written }) => {
    const permit = await requireOwn(ctx, id);
    const plate = plainPlate(written);
    const other = await validForPlate(ctx, permit.zone, plate);
    if (other !== null && other._id !== id) refuse("plate has permit");
    await ctx.db.patch("permits", id, { plate });
    return null;
  },
});

function show({ _id, zone, plate, ends, paid }: Doc<"permits">) {
  return { id: _id, zone, plate, ends, paid };
}

/** The caller's valid permits, in no certain order. */
export const mine = query({
  args: {},
  returns: v.array(
    v.object({
      id: v.id("permits"),
      zone: v.id("zones"),
      plate: v.string(),
      ends: v.number(),
      paid: v.number(),
    }),
  ),
  handler: async (ctx) => (await validOf(ctx, await requirePerson(ctx))).map(show),
});

/** Whether a plate has a valid permit in a zone. */
export const check = query({
  args: { zone: v.id("zones"), plate: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { zone, plate }) => {
    await requireRole(ctx, "staff", "warden");
    return (await validForPlate(ctx, zone, plainPlate(plate))) !== null;
  },
});
