// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";

const MOST_KETTLES = 300;

export const install = mutation({
  args: { name: v.string(), script: v.string() },
  handler: async (ctx, { name, script }) =>
    await ctx.db.insert("kettles", {
      name,
      celsius: 0,
      litres: 0,
      measuredAt: null,
      scriptLength: script.length,
      script: await ctx.db.insert("scripts", { text: script }),
    }),
});

export const board = query({
  args: {},
  handler: async (ctx) => {
    const kettles = await ctx.db.query("kettles").take(MOST_KETTLES);
    return kettles.map(({ _id, name, celsius, litres, measuredAt, scriptLength }) => ({
      kettle: _id,
      name,
      celsius,
      litres,
      measuredAt,
      scriptLength,
    }));
  },
});

export const measure = mutation({
  args: {
    measurements: v.array(
      v.object({
        kettle: v.id("kettles"),
        celsius: v.number(),
        litres: v.number(),
        at: v.number(),
      }),
    ),
  },
  handler: async (ctx, { measurements }) => {
    let taken = 0;
    for (const { kettle, celsius, litres, at } of measurements) {
      const found = await ctx.db.get("kettles", kettle);
      if (found === null) {
        continue;
      }
      await ctx.db.patch("kettles", kettle, { celsius, litres, measuredAt: at });
      taken += 1;
    }
    return taken;
  },
});

export const script = query({
  args: { kettle: v.id("kettles") },
  handler: async (ctx, { kettle }) => {
    const found = await ctx.db.get("kettles", kettle);
    return found && ((await ctx.db.get("scripts", found.script))?.text ?? null);
  },
});

export const rewrite = mutation({
  args: { kettle: v.id("kettles"), script: v.string() },
  handler: async (ctx, { kettle, script }) => {
    const found = await ctx.db.get("kettles", kettle);
    if (found === null) {
      return false;
    }
    await ctx.db.patch("scripts", found.script, { text: script });
    await ctx.db.patch("kettles", kettle, { scriptLength: script.length });
    return true;
  },
});

export const rename = mutation({
  args: { kettle: v.id("kettles"), name: v.string() },
  handler: async (ctx, { kettle, name }) => {
    if ((await ctx.db.get("kettles", kettle)) === null) {
      return false;
    }
    await ctx.db.patch("kettles", kettle, { name });
    return true;
  },
});

export const scrap = mutation({
  args: { kettle: v.id("kettles") },
  handler: async (ctx, { kettle }) => {
    const found = await ctx.db.get("kettles", kettle);
    if (found === null) {
      return false;
    }
    await ctx.db.delete("kettles", kettle);
    await ctx.db.delete("scripts", found.script);
    return true;
  },
});
