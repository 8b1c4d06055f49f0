// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
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
  handler: async (ctx, { style, ...given }) => {
    if ((await ctx.db.get("styles", style)) === null) {
      return false;
    }
    // Only what was given has a key here: an undefined one would remove the field.
    await ctx.db.patch("styles", style, given);
    return true;
  },
});

export const inherit = mutation({
  args: {
    style: v.id("styles"),
    field: v.union(v.literal("tracking"), v.literal("figures"), v.literal("caps")),
  },
  handler: async (ctx, { style, field }) => {
    if ((await ctx.db.get("styles", style)) === null) {
      return false;
    }
    await ctx.db.patch("styles", style, { [field]: undefined });
    return true;
  },
});

export const resolved = query({
  args: { style: v.id("styles") },
  handler: async (ctx, { style }) => {
    const lineage: Doc<"styles">[] = [];
    let next: Doc<"styles">["base"] = style;
    while (next !== null) {
      const found: Doc<"styles"> | null = await ctx.db.get("styles", next);
      if (found !== null) {
        lineage.push(found);
      }
      next = found?.base ?? null;
    }
    if (lineage.length === 0) {
      return null;
    }
    return {
      tracking: lineage.find((each) => each.tracking !== undefined)?.tracking ?? null,
      figures: lineage.find((each) => each.figures !== undefined)?.figures ?? null,
      caps: lineage.find((each) => each.caps !== undefined)?.caps ?? null,
    };
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
