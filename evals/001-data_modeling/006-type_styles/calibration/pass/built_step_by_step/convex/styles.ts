// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { WithoutSystemFields } from "convex/server";
import { v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { mutation, query } from "./_generated/server";
import { figures, settings } from "./schema";

const baseOrNull = v.union(v.id("styles"), v.null());

export const create = mutation({
  args: { name: v.string(), base: baseOrNull, ...settings },
  handler: async (ctx, args) => await ctx.db.insert("styles", args),
});

export const change = mutation({
  args: { style: v.id("styles"), name: v.optional(v.string()), ...settings },
  handler: async (ctx, args) => {
    const found = await ctx.db.get("styles", args.style);
    if (!found) return false;
    const changes: Partial<WithoutSystemFields<Doc<"styles">>> = {};
    if (args.name !== undefined) changes.name = args.name;
    if (args.tracking !== undefined) changes.tracking = args.tracking;
    if (args.figures !== undefined) changes.figures = args.figures;
    if (args.caps !== undefined) changes.caps = args.caps;
    await ctx.db.patch("styles", found._id, changes);
    return true;
  },
});

export const inherit = mutation({
  args: {
    style: v.id("styles"),
    field: v.union(v.literal("tracking"), v.literal("figures"), v.literal("caps")),
  },
  handler: async (ctx, { style, field }) => {
    const found = await ctx.db.get("styles", style);
    if (!found) return false;
    const { _id, _creationTime, ...fields } = found;
    delete fields[field];
    await ctx.db.replace("styles", _id, fields);
    return true;
  },
});

export const resolved = query({
  args: { style: v.id("styles") },
  handler: async (ctx, { style }) => {
    let current = await ctx.db.get("styles", style);
    if (current === null) return null;
    let { tracking, figures, caps } = current;
    while (current !== null && current.base !== null) {
      current = await ctx.db.get("styles", current.base);
      if (tracking === undefined) tracking = current?.tracking;
      if (figures === undefined) figures = current?.figures;
      if (caps === undefined) caps = current?.caps;
    }
    return { tracking: tracking ?? null, figures: figures ?? null, caps: caps ?? null };
  },
});

export const variants = query({
  args: { base: baseOrNull, figures: v.optional(figures) },
  handler: async (ctx, { base, figures }) => {
    const found = await ctx.db
      .query("styles")
      .withIndex("by_base_and_figures", (q) => q.eq("base", base).eq("figures", figures))
      .take(20);
    return found.map((style) => style._id);
  },
});
