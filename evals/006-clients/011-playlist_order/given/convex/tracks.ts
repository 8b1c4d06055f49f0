// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { paginationOptsValidator } from "convex/server";
import { v } from "convex/values";

import { mutation, query, type QueryCtx } from "./_generated/server";
import type { Id } from "./_generated/dataModel";
import { positionAtEnd, STEP, trackBelow } from "./lib/positions";
import { movableTrack, refuse } from "./lib/rules";

/** The tracks of a show from the top. */
export const page = query({
  args: { show: v.id("shows"), paginationOpts: paginationOptsValidator },
  handler: async (ctx, { show, paginationOpts }) => {
    return await ctx.db
      .query("tracks")
      .withIndex("by_show", (q) => q.eq("show", show))
      .paginate(paginationOpts);
  },
});

/** A track; null if it was removed. */
export const get = query({
  args: { track: v.id("tracks") },
  handler: async (ctx, { track }) => await ctx.db.get("tracks", track),
});

/** The track that is played next; null if all were played. */
export const next = query({
  args: { show: v.id("shows") },
  handler: async (ctx, { show }) => await nextTrack(ctx, show),
});

/** Adds a track at the end of a show. */
export const add = mutation({
  args: { show: v.id("shows"), title: v.string(), minutes: v.number() },
  returns: v.id("tracks"),
  handler: async (ctx, args) => {
    const position = await positionAtEnd(ctx, args.show);
    return await ctx.db.insert("tracks", { ...args, position, isPlayed: false });
  },
});

/** Moves a track directly below another one. Nothing is moved above a track that was played. */
export const move = mutation({
  args: { track: v.id("tracks"), below: v.id("tracks") },
  returns: v.null(),
  handler: async (ctx, { track, below }) => {
    const { show } = await movableTrack(ctx, track);
    const above = await ctx.db.get("tracks", below);
    if (above === null || above.show !== show) return refuse("no_place");
    if (track === below) return null;
    const next = await trackBelow(ctx, above, track);
    if (next?.isPlayed) return refuse("played");
    const position = next
      ? (above.position + next.position) / 2
      : above.position + STEP;
    await ctx.db.patch("tracks", track, { position });
    return null;
  },
});

/** Notes that the next track is being played. */
export const play = mutation({
  args: { show: v.id("shows") },
  returns: v.null(),
  handler: async (ctx, { show }) => {
    const track = await nextTrack(ctx, show);
    if (track !== null) await ctx.db.patch("tracks", track._id, { isPlayed: true });
    return null;
  },
});

export const remove = mutation({
  args: { track: v.id("tracks") },
  returns: v.null(),
  handler: async (ctx, { track }) => {
    if ((await ctx.db.get("tracks", track)) !== null) await ctx.db.delete("tracks", track);
    return null;
  },
});

async function nextTrack(ctx: QueryCtx, show: Id<"shows">) {
  return await ctx.db
    .query("tracks")
    .withIndex("by_show_and_played", (q) => q.eq("show", show).eq("isPlayed", false))
    .first();
}
