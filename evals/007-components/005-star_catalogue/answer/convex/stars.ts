// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { Migrations } from "@convex-dev/migrations";
import { v } from "convex/values";
import { components, internal } from "./_generated/api";
import type { DataModel } from "./_generated/dataModel";
import { internalMutation, internalQuery, mutation, query } from "./_generated/server";

const migrations = new Migrations<DataModel>(components.migrations);

export const add = mutation({
  args: { catalogue: v.string(), entry: v.string() },
  returns: v.id("stars"),
  handler: async (ctx, args) => await ctx.db.insert("stars", args),
});

export const name = query({
  args: { star: v.id("stars") },
  returns: v.union(v.string(), v.null()),
  handler: async (ctx, args) => {
    const star = await ctx.db.get("stars", args.star);
    if (star === null) {
      return null;
    }
    if ("designation" in star) {
      return star.designation;
    }
    return star.entry === "" ? star.catalogue : `${star.catalogue} ${star.entry}`;
  },
});

export const split = migrations.define({
  table: "stars",
  batchSize: 50,
  migrateOne: async (ctx, star) => {
    if ("designation" in star) {
      const [catalogue = "", ...rest] = star.designation.split(" ");
      await ctx.db.replace("stars", star._id, { catalogue, entry: rest.join(" ") });
    }
  },
});

export const begin = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    await migrations.runOne(ctx, internal.stars.split);
    return null;
  },
});

export const progress = internalQuery({
  args: {},
  returns: v.object({ seen: v.number(), done: v.boolean() }),
  handler: async (ctx): Promise<{ seen: number; done: boolean }> => {
    const [status] = await migrations.getStatus(ctx, { migrations: [internal.stars.split] });
    return { seen: status?.processed ?? 0, done: status?.isDone ?? false };
  },
});
