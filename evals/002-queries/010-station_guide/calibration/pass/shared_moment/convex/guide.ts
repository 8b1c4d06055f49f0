// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query, type QueryCtx } from "./_generated/server";
import { minutes, momentOf, question, type Question } from "./moments";

export const onAir = query({
  args: question,
  handler: async (ctx, asked) => {
    const moment = momentOf(asked);
    const [broadcast] = await broadcasts(ctx, asked, -Infinity, moment).order("desc").take(1);
    if (broadcast === undefined) return null;
    const remainingMs = broadcast.endsAt - moment;
    return remainingMs > 0
      ? { title: broadcast.title, elapsedMs: moment - broadcast.startsAt, remainingMs }
      : null;
  },
});

export const comingUp = query({
  args: question.extend({ limit: v.optional(v.number()) }),
  handler: async (ctx, { limit, ...asked }) => {
    const moment = momentOf(asked);
    const found = await broadcasts(ctx, asked, moment, moment + minutes(24 * 60)).take(
      Math.min(20, limit === undefined ? 5 : limit) + 1,
    );
    return found
      .map(({ title, startsAt }) => ({ title, startsInMs: startsAt - moment }))
      .filter(({ startsInMs }) => startsInMs < minutes(24 * 60))
      .slice(0, Math.min(20, limit ?? 5));
  },
});

// Broadcasts that start after one moment and not after another.
function broadcasts(ctx: QueryCtx, { station }: Question, after: number, until: number) {
  return ctx.db
    .query("broadcasts")
    .withIndex("by_station_and_startsAt", (q) =>
      q.eq("station", station).gt("startsAt", after).lte("startsAt", until),
    );
}

export const report = mutation({
  args: { station: v.string(), quality: v.number() },
  handler: async (ctx, { station, quality }) => {
    const heardAt = Date.now();
    return await ctx.db.insert("reports", { heardAt, quality, station });
  },
});

export const reception = query({
  args: question,
  handler: async (ctx, asked) => {
    const moment = momentOf(asked);
    const heard = await ctx.db
      .query("reports")
      .withIndex("by_station_and_heardAt", (q) =>
        q.eq("station", asked.station).gte("heardAt", moment - minutes(60)).lt("heardAt", moment),
      )
      .take(200);
    const [reports, total] = [heard.length, heard.reduce((sum, one) => sum + one.quality, 0)];
    return { reports, quality: reports ? total / reports : null };
  },
});
