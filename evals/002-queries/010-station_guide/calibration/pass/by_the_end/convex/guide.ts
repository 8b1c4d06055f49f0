// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";

export const onAir = query({
  args: { station: v.string(), minute: v.number() },
  returns: v.nullable(
    v.object({ title: v.string(), elapsedMs: v.number(), remainingMs: v.number() }),
  ),
  handler: async (ctx, { station, minute }) => {
    const now = minute * 60_000;
    // Broadcasts do not overlap: the first that ends later is the only one that may run.
    const first = await ctx.db
      .query("broadcasts")
      .withIndex("ends", (q) => q.eq("station", station).gt("endsAt", now))
      .first();
    return first && first.startsAt <= now
      ? { title: first.title, elapsedMs: now - first.startsAt, remainingMs: first.endsAt - now }
      : null;
  },
});

export const comingUp = query({
  args: { station: v.string(), minute: v.number(), limit: v.optional(v.number()) },
  returns: v.array(v.object({ title: v.string(), startsInMs: v.number() })),
  handler: async (ctx, { station, minute, limit = 5 }) => {
    const now = minute * 60_000;
    const found = [];
    const later = ctx.db
      .query("broadcasts")
      .withIndex("starts", (q) => q.eq("station", station).gt("startsAt", now));
    for await (const { title, startsAt } of later) {
      if (startsAt >= now + 86_400_000) break;
      found.push({ title, startsInMs: startsAt - now });
      if (found.length >= Math.min(limit, 20)) break;
    }
    return found;
  },
});

export const report = mutation({
  args: { station: v.string(), quality: v.number() },
  returns: v.id("reports"),
  handler: async (ctx, args) =>
    await ctx.db.insert("reports", { ...args, heardAt: new Date().getTime() }),
});

export const reception = query({
  args: { station: v.string(), minute: v.number() },
  returns: v.object({ reports: v.number(), quality: v.nullable(v.number()) }),
  handler: async (ctx, { station, minute }) => {
    let [reports, sum] = [0, 0];
    const hour = ctx.db
      .query("reports")
      .withIndex("heard", (q) =>
        q
          .eq("station", station)
          .gte("heardAt", (minute - 60) * 60_000)
          .lt("heardAt", minute * 60_000),
      );
    for await (const { quality } of hour) {
      reports += 1;
      sum += quality;
    }
    return { reports, quality: reports > 0 ? sum / reports : null };
  },
});
