// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";

const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const DEFAULT_LIMIT = 5;
const MAXIMUM_LIMIT = 20;

const question = { station: v.string(), minute: v.number() };

export const onAir = query({
  args: question,
  handler: async (ctx, { station }) => {
    const moment = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
    const latest = await ctx.db
      .query("broadcasts")
      .withIndex("by_station_and_startsAt", (q) => q.eq("station", station).lte("startsAt", moment))
      .order("desc")
      .first();
    if (latest === null || latest.endsAt <= moment) {
      return null;
    }
    const { title, startsAt, endsAt } = latest;
    return { title, elapsedMs: moment - startsAt, remainingMs: endsAt - moment };
  },
});

export const comingUp = query({
  args: { ...question, limit: v.optional(v.number()) },
  handler: async (ctx, { station, limit }) => {
    const moment = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
    const broadcasts = await ctx.db
      .query("broadcasts")
      .withIndex("by_station_and_startsAt", (q) =>
        q.eq("station", station).gt("startsAt", moment).lt("startsAt", moment + DAY_MS),
      )
      .take(Math.min(limit ?? DEFAULT_LIMIT, MAXIMUM_LIMIT));
    return broadcasts.map(({ title, startsAt }) => ({ title, startsInMs: startsAt - moment }));
  },
});

export const report = mutation({
  args: { station: v.string(), quality: v.number() },
  handler: async (ctx, { station, quality }) =>
    await ctx.db.insert("reports", { station, quality, heardAt: Date.now() }),
});

export const reception = query({
  args: question,
  handler: async (ctx, { station }) => {
    const moment = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
    const reports = await ctx.db
      .query("reports")
      .withIndex("by_station_and_heardAt", (q) =>
        q.eq("station", station).gte("heardAt", moment - HOUR_MS).lt("heardAt", moment),
      )
      .collect();
    const sum = reports.reduce((total, { quality }) => total + quality, 0);
    return {
      reports: reports.length,
      quality: reports.length === 0 ? null : sum / reports.length,
    };
  },
});
