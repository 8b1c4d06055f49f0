// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { DAY } from "./days";

async function lineOf(ctx: QueryCtx, zone: Id<"zones">) {
  return await ctx.db
    .query("waiting")
    .withIndex("by_zone", (q) => q.eq("zone", zone))
    .collect();
}

async function countValid(ctx: QueryCtx, zone: Id<"zones">, moment: number) {
  const valid = await ctx.db
    .query("permits")
    .withIndex("by_zone", (q) => q.eq("zone", zone).gt("ends", moment))
    .collect();
  return valid.length;
}

/** The places that neither a valid permit nor a standing offer takes; never below zero. */
export async function countFree(ctx: QueryCtx, zone: Doc<"zones">, moment: number) {
  const line = await lineOf(ctx, zone._id);
  const standing = line.filter(
    ({ offerEnds }) => offerEnds !== undefined && offerEnds > moment,
  );
  const taken = (await countValid(ctx, zone._id, moment)) + standing.length;
  return Math.max(0, zone.places - taken);
}

/**
 * Takes lapsed offers out of the line, and offers the places that are free since `from`. Jobs can
 * run late, so offers that would have lapsed by now are passed on as if they had run in time.
 */
export async function settleLine(ctx: MutationCtx, id: Id<"zones">, from: number) {
  const zone = await ctx.db.get("zones", id);
  if (zone === null) return;
  let moment = from;
  while (moment <= Date.now()) {
    for (const { _id, offerEnds } of await lineOf(ctx, id)) {
      if (offerEnds !== undefined && offerEnds <= moment) await ctx.db.delete("waiting", _id);
    }
    const free = await countFree(ctx, zone, moment);
    const line = await lineOf(ctx, id);
    const next = line.filter(({ offerEnds }) => offerEnds === undefined).slice(0, free);
    for (const { _id, owner } of next) {
      const offerEnds = moment + DAY;
      await ctx.db.patch("waiting", _id, { offerEnds });
      await ctx.db.insert("notices", { owner, zone: id, kind: "offer" });
      await ctx.scheduler.runAt(offerEnds, internal.jobs.lapse, { zone: id, at: offerEnds });
    }
    const ends = (await lineOf(ctx, id)).flatMap(({ offerEnds }) => offerEnds ?? []);
    moment = Math.min(...ends);
  }
}
