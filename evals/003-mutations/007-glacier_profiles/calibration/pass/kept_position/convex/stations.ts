// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { internalMutation, mutation, type MutationCtx } from "./_generated/server";

const LARGEST_PROFILE = 20;
const ROOM = 70;

export const correct = mutation({
  args: { station: v.id("stations"), byMm: v.number() },
  returns: v.null(),
  handler: async (ctx, { station, byMm }) => {
    const document = await ctx.db.get("stations", station);
    if (document === null) throw new ConvexError("no station");
    if (document.correcting) throw new ConvexError("busy");
    const newest = await ctx.db
      .query("profiles")
      .withIndex("by_station", (q) => q.eq("station", station))
      .order("desc")
      .take(1);
    const until = newest.map((profile) => profile._creationTime)[0] ?? 0;
    await ctx.db.patch("stations", station, { correcting: true });
    const job = await ctx.db.insert("jobs", { station, byMm, after: -1, until });
    await goOn(ctx, job);
    return null;
  },
});

export const resume = internalMutation({
  args: { job: v.id("jobs") },
  returns: v.null(),
  handler: async (ctx, { job }) => {
    await goOn(ctx, job);
    return null;
  },
});

async function goOn(ctx: MutationCtx, id: Id<"jobs">) {
  const job = await ctx.db.get("jobs", id);
  if (job === null) return;
  let [done, after] = [0, job.after];
  while (done + LARGEST_PROFILE <= ROOM) {
    const profile = await ctx.db
      .query("profiles")
      .withIndex("by_station", (q) =>
        q.eq("station", job.station).gt("_creationTime", after).lte("_creationTime", job.until),
      )
      .first();
    if (profile === null) {
      await ctx.db.delete("jobs", id);
      await ctx.db.patch("stations", job.station, { correcting: false });
      return;
    }
    // Collected first: correcting a reading moves it in the index.
    const readings = await ctx.db
      .query("readings")
      .withIndex("by_profile", (q) => q.eq("profile", profile._id))
      .take(LARGEST_PROFILE);
    for (const { _id, depthMm } of readings) {
      await ctx.db.patch("readings", _id, { depthMm: depthMm + job.byMm });
    }
    done += readings.length;
    after = profile._creationTime;
  }
  await ctx.db.patch("jobs", id, { after });
  await ctx.scheduler.runAfter(1000, internal.stations.resume, { job: id });
}
