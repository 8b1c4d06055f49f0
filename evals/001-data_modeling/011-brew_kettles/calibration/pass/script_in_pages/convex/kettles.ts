// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { mutation, query, type MutationCtx, type QueryCtx } from "./_generated/server";

const PAGE = 100_000;

export const install = mutation({
  args: { name: v.string(), script: v.string() },
  handler: async (ctx, { name, script }) => {
    const kettle = await ctx.db.insert("kettles", { name, characters: script.length });
    await write(ctx, kettle, script);
    return kettle;
  },
});

export const board = query({
  args: {},
  handler: async (ctx) => {
    const kettles = await ctx.db.query("kettles").collect();
    return kettles.map((kettle) => ({
      kettle: kettle._id,
      name: kettle.name,
      celsius: kettle.last ? kettle.last.celsius : 0,
      litres: kettle.last ? kettle.last.litres : 0,
      measuredAt: kettle.last ? kettle.last.at : null,
      scriptLength: kettle.characters,
    }));
  },
});

const measurement = v.object({
  kettle: v.id("kettles"),
  celsius: v.number(),
  litres: v.number(),
  at: v.number(),
});

export const measure = mutation({
  args: { measurements: v.array(measurement) },
  handler: async (ctx, { measurements }) => {
    // Each kettle is read once and written once.
    const lasts = new Map<Id<"kettles">, { celsius: number; litres: number; at: number }>();
    const known = new Map<Id<"kettles">, number>();
    let count = 0;
    for (const { kettle, ...last } of measurements) {
      if (!known.has(kettle)) {
        const found = await ctx.db.get("kettles", kettle);
        known.set(kettle, found ? (found.last?.at ?? -Infinity) : Infinity);
      }
      if (last.at > known.get(kettle)!) {
        known.set(kettle, last.at);
        lasts.set(kettle, last);
        count += 1;
      }
    }
    for (const [kettle, last] of lasts) {
      await ctx.db.patch("kettles", kettle, { last });
    }
    return count;
  },
});

export const script = query({
  args: { kettle: v.id("kettles") },
  handler: async (ctx, { kettle }) => {
    if (!(await ctx.db.get("kettles", kettle))) return null;
    return (await pagesOf(ctx, kettle)).map(({ text }) => text).join("");
  },
});

export const rewrite = mutation({
  args: { kettle: v.id("kettles"), script: v.string() },
  handler: async (ctx, { kettle, script }) => {
    if (!(await ctx.db.get("kettles", kettle))) return false;
    await wipe(ctx, kettle);
    await write(ctx, kettle, script);
    await ctx.db.patch("kettles", kettle, { characters: script.length });
    return true;
  },
});

export const rename = mutation({
  args: { kettle: v.id("kettles"), name: v.string() },
  handler: async (ctx, { kettle, name }) => {
    if (!(await ctx.db.get("kettles", kettle))) return false;
    await ctx.db.patch("kettles", kettle, { name });
    return true;
  },
});

export const scrap = mutation({
  args: { kettle: v.id("kettles") },
  handler: async (ctx, { kettle }) => {
    if (!(await ctx.db.get("kettles", kettle))) return false;
    await wipe(ctx, kettle);
    await ctx.db.delete("kettles", kettle);
    return true;
  },
});

async function pagesOf(ctx: QueryCtx, kettle: Id<"kettles">) {
  return await ctx.db
    .query("pages")
    .withIndex("by_kettle_and_number", (q) => q.eq("kettle", kettle))
    .collect();
}

async function write(ctx: MutationCtx, kettle: Id<"kettles">, script: string) {
  for (let number = 0; number * PAGE < script.length; number++) {
    const text = script.slice(number * PAGE, (number + 1) * PAGE);
    await ctx.db.insert("pages", { kettle, number, text });
  }
}

async function wipe(ctx: MutationCtx, kettle: Id<"kettles">) {
  for (const page of await pagesOf(ctx, kettle)) {
    await ctx.db.delete("pages", page._id);
  }
}
