// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, query, type QueryCtx } from "./_generated/server";

const perfumerOrNull = v.union(v.id("perfumers"), v.null());

export const add = mutation({
  args: { name: v.string(), house: v.id("houses"), perfumer: perfumerOrNull },
  handler: async (ctx, args) => {
    const house = await ctx.db.get("houses", args.house);
    if (house === null || !(await isThere(ctx, args.perfumer))) {
      return null;
    }
    return await ctx.db.insert("perfumes", args);
  },
});

export const ofHouse = query({
  args: { house: v.id("houses") },
  handler: async (ctx, { house }) => {
    const perfumes = await ctx.db
      .query("perfumes")
      .withIndex("by_house_and_name", (q) => q.eq("house", house))
      .collect();
    return await described(ctx, perfumes);
  },
});

export const named = query({
  args: { house: v.id("houses"), name: v.string() },
  handler: async (ctx, { house, name }) => {
    const perfumes = await ctx.db
      .query("perfumes")
      .withIndex("by_house_and_name", (q) => q.eq("house", house).eq("name", name))
      .collect();
    return await described(ctx, perfumes);
  },
});

export const ofPerfumer = query({
  args: { perfumer: v.id("perfumers") },
  handler: async (ctx, { perfumer }) => {
    return await described(ctx, await by(ctx, perfumer).collect());
  },
});

export const anonymous = query({
  args: { limit: v.number() },
  handler: async (ctx, { limit }) => await described(ctx, await by(ctx, null).take(limit)),
});

export const attribute = mutation({
  args: { perfume: v.id("perfumes"), perfumer: perfumerOrNull },
  handler: async (ctx, { perfume, perfumer }) => {
    const found = await ctx.db.get("perfumes", perfume);
    if (found === null || !(await isThere(ctx, perfumer))) {
      return false;
    }
    await ctx.db.patch("perfumes", perfume, { perfumer });
    return true;
  },
});

export const removeHouse = mutation({
  args: { house: v.id("houses") },
  handler: async (ctx, { house }) => {
    const found = await ctx.db.get("houses", house);
    const perfume = await ctx.db
      .query("perfumes")
      .withIndex("by_house_and_name", (q) => q.eq("house", house))
      .first();
    if (found === null || perfume !== null) {
      return false;
    }
    await ctx.db.delete("houses", house);
    return true;
  },
});

export const removePerfumer = mutation({
  args: { perfumer: v.id("perfumers") },
  handler: async (ctx, { perfumer }) => {
    if (!(await isThere(ctx, perfumer))) {
      return false;
    }
    for (const { _id } of await by(ctx, perfumer).collect()) {
      await ctx.db.patch("perfumes", _id, { perfumer: null });
    }
    await ctx.db.delete("perfumers", perfumer);
    return true;
  },
});

function by(ctx: QueryCtx, perfumer: Id<"perfumers"> | null) {
  return ctx.db.query("perfumes").withIndex("by_perfumer", (q) => q.eq("perfumer", perfumer));
}

async function isThere(ctx: QueryCtx, perfumer: Id<"perfumers"> | null): Promise<boolean> {
  return perfumer === null || (await ctx.db.get("perfumers", perfumer)) !== null;
}

async function described(ctx: QueryCtx, perfumes: Doc<"perfumes">[]) {
  return await Promise.all(
    perfumes.map(async ({ _id, name, house, perfumer }) => ({
      perfume: _id,
      name,
      house: (await ctx.db.get("houses", house))?.name ?? "",
      perfumer:
        perfumer === null ? null : ((await ctx.db.get("perfumers", perfumer))?.name ?? null),
    })),
  );
}
