// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { mutation, query, type QueryCtx } from "./_generated/server";

const NEWEST = 20;

const pair = { fabric: v.id("fabrics"), dye: v.id("dyes") };

export const record = mutation({
  args: { ...pair, minutes: v.number() },
  handler: async (ctx, { fabric, dye, minutes }) => {
    const ends = [await ctx.db.get("fabrics", fabric), await ctx.db.get("dyes", dye)];
    if (ends.includes(null)) {
      return null;
    }
    const trial = await trialOf(ctx, fabric, dye);
    if (trial !== null) {
      await ctx.db.delete("trials", trial._id);
    }
    return await ctx.db.insert("trials", { fabric, dye, minutes });
  },
});

export const forget = mutation({
  args: pair,
  handler: async (ctx, { fabric, dye }) => {
    const trial = await trialOf(ctx, fabric, dye);
    if (trial === null) {
      return false;
    }
    await ctx.db.delete("trials", trial._id);
    return true;
  },
});

export const isTried = query({
  args: pair,
  handler: async (ctx, { fabric, dye }) => (await trialOf(ctx, fabric, dye)) !== null,
});

export const dyesOf = query({
  args: { fabric: v.id("fabrics") },
  handler: async (ctx, { fabric }) => {
    const trials = await trialsOf(ctx, fabric);
    const dyes = await Promise.all(
      trials.map(async ({ dye, minutes }) => {
        const found = await ctx.db.get("dyes", dye);
        return found && { dye, name: found.name, minutes };
      }),
    );
    return dyes.filter((dye) => dye !== null);
  },
});

export const fabricsOf = query({
  args: { dye: v.id("dyes") },
  handler: async (ctx, { dye }) => {
    const trials = await ctx.db
      .query("trials")
      .withIndex("by_dye", (q) => q.eq("dye", dye))
      .order("desc")
      .take(NEWEST);
    const fabrics = await Promise.all(
      trials.map(async ({ fabric, minutes }) => {
        const found = await ctx.db.get("fabrics", fabric);
        return found && { fabric, name: found.name, minutes };
      }),
    );
    return fabrics.filter((fabric) => fabric !== null);
  },
});

export const common = query({
  args: { one: v.id("fabrics"), other: v.id("fabrics") },
  handler: async (ctx, { one, other }) => {
    const [ones, others] = await Promise.all([trialsOf(ctx, one), trialsOf(ctx, other)]);
    const known = new Set(others.map((trial) => trial.dye));
    return ones.map((trial) => trial.dye).filter((dye) => known.has(dye));
  },
});

export const removeFabric = mutation({
  args: { fabric: v.id("fabrics") },
  handler: async (ctx, { fabric }) => {
    if ((await ctx.db.get("fabrics", fabric)) === null) {
      return null;
    }
    const trials = await trialsOf(ctx, fabric);
    for (const trial of trials) {
      await ctx.db.delete("trials", trial._id);
    }
    await ctx.db.delete("fabrics", fabric);
    return trials.length;
  },
});

async function trialOf(ctx: QueryCtx, fabric: Id<"fabrics">, dye: Id<"dyes">) {
  return await ctx.db
    .query("trials")
    .withIndex("by_fabric_and_dye", (q) => q.eq("fabric", fabric).eq("dye", dye))
    .unique();
}

async function trialsOf(ctx: QueryCtx, fabric: Id<"fabrics">) {
  return await ctx.db
    .query("trials")
    .withIndex("by_fabric", (q) => q.eq("fabric", fabric))
    .collect();
}
