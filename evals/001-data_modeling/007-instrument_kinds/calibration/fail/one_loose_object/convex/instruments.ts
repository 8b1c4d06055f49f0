// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { classification, instrument } from "./schema";

export const acquire = mutation({
  args: { instrument },
  handler: async (ctx, args) => await ctx.db.insert("instruments", args.instrument),
});

export const ofKind = query({
  args: { kind: v.union(v.literal("string"), v.literal("wind"), v.literal("percussion")) },
  handler: async (ctx, { kind }) =>
    await ctx.db
      .query("instruments")
      .withIndex("by_kind_and_acquired", (q) => q.eq("kind", kind))
      .collect(),
});

export const withStrings = query({
  args: { strings: v.number() },
  handler: async (ctx, { strings }) =>
    await ctx.db
      .query("instruments")
      .withIndex("by_strings", (q) => q.eq("strings", strings))
      .collect(),
});

export const reclassify = mutation({
  args: { instrument: v.id("instruments"), as: classification },
  handler: async (ctx, args) => {
    const found = await ctx.db.get("instruments", args.instrument);
    if (found === null) {
      return false;
    }
    await ctx.db.patch("instruments", found._id, args.as);
    return true;
  },
});

export const retune = mutation({
  args: { instrument: v.id("instruments"), tuning: v.array(v.string()) },
  handler: async (ctx, args) => {
    const found = await ctx.db.get("instruments", args.instrument);
    if (found?.kind !== "string") {
      return false;
    }
    await ctx.db.patch("instruments", found._id, { tuning: args.tuning });
    return true;
  },
});

export const label = query({
  args: { instrument: v.id("instruments") },
  handler: async (ctx, args) => {
    const found = await ctx.db.get("instruments", args.instrument);
    if (found === null) {
      return null;
    }
    switch (found.kind) {
      case "string": {
        const strings = `${found.strings} strings`;
        return found.tuning?.length ? `${strings}: ${found.tuning.join(" ")}` : strings;
      }
      case "wind":
        return `${found.bore}, ${found.reed ?? "no"} reed`;
      case "percussion": {
        const pitch = found.pitched ? "pitched" : "unpitched";
        return found.head === undefined ? pitch : `${pitch} with head of ${found.head}`;
      }
    }
  },
});
