// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { TableAggregate } from "@convex-dev/aggregate";
import { ConvexError, v } from "convex/values";
import { components } from "./_generated/api";
import type { DataModel } from "./_generated/dataModel";
import { mutation, query } from "./_generated/server";

const byMagnitude = new TableAggregate<{
  Namespace: string;
  Key: number;
  DataModel: DataModel;
  TableName: "sightings";
}>(components.aggregate, {
  namespace: (sighting) => sighting.constellation,
  sortKey: (sighting) => sighting.magnitude,
  sumValue: (sighting) => sighting.magnitude,
});

export const add = mutation({
  args: { constellation: v.string(), magnitude: v.number(), observer: v.string() },
  handler: async (ctx, args) => {
    const id = await ctx.db.insert("sightings", args);
    const sighting = await ctx.db.get("sightings", id);
    if (sighting !== null) {
      await byMagnitude.insert(ctx, sighting);
    }
    return id;
  },
});

export const correct = mutation({
  args: { sighting: v.id("sightings"), constellation: v.string(), magnitude: v.number() },
  handler: async (ctx, { sighting, ...changes }) => {
    const before = await ctx.db.get("sightings", sighting);
    if (before === null) {
      throw new ConvexError("no such sighting");
    }
    await ctx.db.patch("sightings", sighting, changes);
    await byMagnitude.replace(ctx, before, { ...before, ...changes });
    return null;
  },
});

export const withdraw = mutation({
  args: { sighting: v.id("sightings") },
  handler: async (ctx, args) => {
    const sighting = await ctx.db.get("sightings", args.sighting);
    if (sighting === null) {
      return false;
    }
    await ctx.db.delete("sightings", sighting._id);
    await byMagnitude.delete(ctx, sighting);
    return true;
  },
});

export const summary = query({
  args: { constellation: v.string() },
  handler: async (ctx, { constellation: namespace }) => {
    const count = await byMagnitude.count(ctx, { namespace });
    const sum = await byMagnitude.sum(ctx, { namespace });
    const first = await byMagnitude.min(ctx, { namespace });
    return { count, mean: count === 0 ? null : sum / count, brightest: first?.key ?? null };
  },
});

export const fainter = query({
  args: { constellation: v.string(), magnitude: v.number() },
  handler: async (ctx, { constellation: namespace, magnitude }) =>
    await byMagnitude.count(ctx, {
      namespace,
      bounds: { lower: { key: magnitude, inclusive: false } },
    }),
});

export const place = query({
  args: { sighting: v.id("sightings") },
  handler: async (ctx, args) => {
    const sighting = await ctx.db.get("sightings", args.sighting);
    if (sighting === null) {
      return null;
    }
    const namespace = sighting.constellation;
    return (await byMagnitude.indexOf(ctx, sighting.magnitude, { namespace })) + 1;
  },
});

export const atPlace = query({
  args: { constellation: v.string(), n: v.number() },
  handler: async (ctx, { constellation: namespace, n }) => {
    if (n < 1 || n > (await byMagnitude.count(ctx, { namespace }))) {
      return null;
    }
    const { id } = await byMagnitude.at(ctx, n - 1, { namespace });
    const sighting = await ctx.db.get("sightings", id);
    if (sighting === null) {
      return null;
    }
    const { _id, magnitude, observer } = sighting;
    return { _id, magnitude, observer };
  },
});
