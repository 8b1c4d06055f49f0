// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { mutation, query, type QueryCtx } from "./_generated/server";
import { measured } from "./schema";

const kettle = v.id("kettles");

function lastOf(ctx: QueryCtx, kettle: Id<"kettles">) {
  const rows = ctx.db.query("measurements").withIndex("by_kettle", (q) => q.eq("kettle", kettle));
  return rows.unique();
}

function scriptOf(ctx: QueryCtx, kettle: Id<"kettles">) {
  const rows = ctx.db.query("scripts").withIndex("by_kettle", (q) => q.eq("kettle", kettle));
  return rows.unique();
}

export const install = mutation({
  args: { name: v.string(), script: v.string() },
  returns: kettle,
  handler: async (ctx, { name, script }) => {
    const id = await ctx.db.insert("kettles", { name, scriptLength: script.length });
    await ctx.db.insert("scripts", { kettle: id, script });
    return id;
  },
});

export const board = query({
  args: {},
  returns: v.array(
    v.object({
      kettle,
      name: v.string(),
      celsius: v.number(),
      litres: v.number(),
      measuredAt: v.nullable(v.number()),
      scriptLength: v.number(),
    }),
  ),
  handler: async (ctx) => {
    const entries = [];
    for await (const { _id, _creationTime, ...shown } of ctx.db.query("kettles")) {
      const last = await lastOf(ctx, _id);
      const [celsius, litres] = [last?.celsius ?? 0, last?.litres ?? 0];
      entries.push({ kettle: _id, ...shown, celsius, litres, measuredAt: last?.at ?? null });
    }
    return entries;
  },
});

export const measure = mutation({
  args: { measurements: v.array(measured.extend({ kettle })) },
  returns: v.number(),
  handler: async (ctx, { measurements }) => {
    let count = 0;
    for (const each of measurements) {
      if (!(await ctx.db.get("kettles", each.kettle))) continue;
      const last = await lastOf(ctx, each.kettle);
      if (last && last.at >= each.at) continue;
      if (last) await ctx.db.replace("measurements", last._id, each);
      else await ctx.db.insert("measurements", each);
      count++;
    }
    return count;
  },
});

export const script = query({
  args: { kettle },
  returns: v.nullable(v.string()),
  handler: async (ctx, args) => (await scriptOf(ctx, args.kettle))?.script ?? null,
});

export const rewrite = mutation({
  args: { kettle, script: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { kettle, script }) => {
    const before = await scriptOf(ctx, kettle);
    if (!before) return false;
    await ctx.db.replace("scripts", before._id, { kettle, script });
    if (before.script.length !== script.length) {
      await ctx.db.patch("kettles", kettle, { scriptLength: script.length });
    }
    return true;
  },
});

export const rename = mutation({
  args: { kettle, name: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { kettle, name }) => {
    const found = await ctx.db.get("kettles", kettle);
    if (found) await ctx.db.patch("kettles", kettle, { name });
    return found !== null;
  },
});

export const scrap = mutation({
  args: { kettle },
  returns: v.boolean(),
  handler: async (ctx, { kettle }) => {
    if (!(await ctx.db.get("kettles", kettle))) return false;
    const [last, script] = await Promise.all([lastOf(ctx, kettle), scriptOf(ctx, kettle)]);
    if (last) await ctx.db.delete("measurements", last._id);
    if (script) await ctx.db.delete("scripts", script._id);
    await ctx.db.delete("kettles", kettle);
    return true;
  },
});
