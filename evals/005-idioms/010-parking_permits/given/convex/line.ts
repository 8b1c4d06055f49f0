// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/*
 * The rules of places and lines
 *
 * - Each valid permit takes one of the zone's places, and so does each standing offer. Without a
 *   free place nobody buys ("zone full"), except with an offer of their own.
 * - Where no place is free ("places free"), people can wait in line, each once in a zone ("in
 *   line already"). They can leave the line, with or without an offer ("not in line").
 * - Whenever a place is free, whoever has waited longest without an offer gets one at that
 *   moment; if several are free, several people get one. It does not matter why it is free: a
 *   permit ended or was cancelled, an offer lapsed or was given up, the zone got more places.
 * - An offer stands for 24 hours. Only whoever has it can use it, by buying; others in the line
 *   cannot. At the end of the 24 hours it lapses, and whoever had it is out of the line.
 * - Whoever buys in a zone is out of its line.
 * - If a zone gets fewer places, its permits and offers stay. No place is free until fewer are
 *   taken than there are.
 */
import { v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { mutation, query } from "./_generated/server";
import type { QueryCtx } from "./_generated/server";
import { countFree, settleLine } from "./model/places";
import { refuse, requirePerson } from "./model/session";

async function findPlace(ctx: QueryCtx, owner: string, zone: Id<"zones">) {
  return await ctx.db
    .query("waiting")
    .withIndex("by_owner", (q) => q.eq("owner", owner).eq("zone", zone))
    .unique();
}

/** Waits for a place in a zone that has none free. */
export const join = mutation({
  args: { zone: v.id("zones") },
  returns: v.null(),
  handler: async (ctx, { zone: id }) => {
    const owner = await requirePerson(ctx);
    const zone = (await ctx.db.get("zones", id)) ?? refuse("not found");
    await settleLine(ctx, id, Date.now());
    if ((await findPlace(ctx, owner, id)) !== null) refuse("in line already");
    if ((await countFree(ctx, zone, Date.now())) > 0) refuse("places free");
    await ctx.db.insert("waiting", { zone: id, owner });
    return null;
  },
});

/** Gives up a place in the line, and the offer if there is one. */
export const leave = mutation({
  args: { zone: v.id("zones") },
  returns: v.null(),
  handler: async (ctx, { zone }) => {
    const owner = await requirePerson(ctx);
    await settleLine(ctx, zone, Date.now());
    const place = (await findPlace(ctx, owner, zone)) ?? refuse("not in line");
    await ctx.db.delete("waiting", place._id);
    await settleLine(ctx, zone, Date.now());
    return null;
  },
});

/** The lines in which the caller waits, in no certain order. */
export const mine = query({
  args: {},
  returns: v.array(v.object({ zone: v.id("zones"), offerEnds: v.nullable(v.number()) })),
  handler: async (ctx) => {
    const owner = await requirePerson(ctx);
    const places = await ctx.db
      .query("waiting")
      .withIndex("by_owner", (q) => q.eq("owner", owner))
      .collect();
    return places
      .map(({ zone, offerEnds }) => ({ zone, offerEnds: offerEnds ?? null }))
      .filter(({ offerEnds }) => offerEnds === null || offerEnds > Date.now());
  },
});
