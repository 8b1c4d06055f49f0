// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { mutation, query } from "./_generated/server";
import { refuse } from "./lib/errors";
import { requireRider } from "./lib/session";
import { changeCredit, notify } from "./model/accounts";
import { findMembership, requireRole } from "./model/clubs";
import { currentId, idsOf } from "./model/riders";
import { DAY_MS, findSignup, releaseUnder, signupsUnder } from "./model/rides";

export const plan = mutation({
  args: {
    club: v.id("clubs"),
    title: v.string(),
    startsAt: v.number(),
    places: v.number(),
    price: v.number(),
  },
  returns: v.id("rides"),
  handler: async (ctx, ride) => {
    const { _id: guide } = await requireRider(ctx);
    await requireRole(ctx, ride.club, guide, "guide", "admin");
    if (ride.startsAt <= Date.now() || ride.places < 1 || ride.price < 0) refuse("invalid");
    return await ctx.db.insert("rides", { ...ride, guide, going: 0 });
  },
});

/** Signs the rider up; returns whether there was a place. */
export const join = mutation({
  args: { ride: v.id("rides") },
  returns: v.union(v.literal("going"), v.literal("waiting")),
  handler: async (ctx, { ride: id }) => {
    const { _id: rider, name } = await requireRider(ctx);
    const ride = (await ctx.db.get("rides", id)) ?? refuse("not_found");
    const now = Date.now();
    if (now >= ride.startsAt) refuse("started");
    if ((await findMembership(ctx, ride.club, rider)) === null) refuse("not_member");
    if ((await findSignup(ctx, id, rider)) !== null) refuse("already");
    await changeCredit(ctx, rider, -ride.price, ride.title);
    const state = ride.going < ride.places ? "going" : "waiting";
    const signup = await ctx.db.insert("signups", {
      ride: id,
      rider,
      state,
      since: now,
      paid: ride.price,
    });
    if (state === "going") await ctx.db.patch("rides", id, { going: ride.going + 1 });
    const at = ride.startsAt - DAY_MS;
    if (now < at) {
      const reminder = await ctx.scheduler.runAt(at, internal.reminders.send, { ride: id, rider });
      await ctx.db.patch("signups", signup, { reminder });
    }
    const guide = await currentId(ctx, ride.guide);
    if (guide !== rider) await notify(ctx, guide, `${name} signed up: ${ride.title}`);
    return state;
  },
});

export const leave = mutation({
  args: { ride: v.id("rides") },
  returns: v.null(),
  handler: async (ctx, { ride: id }) => {
    const { _id: rider } = await requireRider(ctx);
    const ride = (await ctx.db.get("rides", id)) ?? refuse("not_found");
    if (Date.now() >= ride.startsAt) refuse("started");
    const hasLeft = await releaseUnder(ctx, id, await idsOf(ctx, rider));
    if (!hasLeft) refuse("not_signed_up");
    return null;
  },
});

/** Takes somebody off a ride. Its guide may do that, and so may the club's admins. */
export const dismiss = mutation({
  args: { ride: v.id("rides"), rider: v.id("riders") },
  returns: v.null(),
  handler: async (ctx, { ride: id, rider }) => {
    const me = await requireRider(ctx);
    const ride = (await ctx.db.get("rides", id)) ?? refuse("not_found");
    const guide = await currentId(ctx, ride.guide);
    if (guide !== me._id) await requireRole(ctx, ride.club, me._id, "admin");
    if (Date.now() >= ride.startsAt) refuse("started");
    const hasLeft = await releaseUnder(ctx, id, await idsOf(ctx, rider));
    if (!hasLeft) refuse("not_signed_up");
    await notify(ctx, rider, `You were taken off: ${ride.title}`);
    return null;
  },
});

const mySignup = v.nullable(v.union(v.literal("going"), v.literal("waiting")));

/** A ride, with the state of the caller's own sign-up. */
export const get = query({
  args: { ride: v.id("rides") },
  returns: v.object({
    title: v.string(),
    places: v.number(),
    going: v.number(),
    isGuide: v.boolean(),
    mine: mySignup,
  }),
  handler: async (ctx, { ride: id }) => {
    const { _id: rider } = await requireRider(ctx);
    const ride = (await ctx.db.get("rides", id)) ?? refuse("not_found");
    const signup = await findSignup(ctx, id, rider);
    const guide = await currentId(ctx, ride.guide);
    return {
      title: ride.title,
      places: ride.places,
      going: ride.going,
      isGuide: guide === rider,
      mine: signup?.state ?? null,
    };
  },
});

/** The rides that the caller signed up for last. */
export const mine = query({
  args: {},
  handler: async (ctx) => {
    const { _id: rider } = await requireRider(ctx);
    const ids = await idsOf(ctx, rider);
    const signups = await ctx.db
      .query("signups")
      .withIndex("by_rider", (q) => q.eq("rider", rider))
      .order("desc")
      .take(50);
    return await Promise.all(
      signups.map(async (signup) => {
        // Another sign-up may count, which has not moved yet.
        const all = ids.length === 1 ? [signup] : await signupsUnder(ctx, signup.ride, ids);
        const { ride, state, paid } = all.at(0) ?? signup;
        return { ride, state, paid };
      }),
    );
  },
});
