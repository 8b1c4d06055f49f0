// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { checkChest, checkFree, checkTag, found, Refusal } from "./checks";

export const read = query({
  args: { costume: v.id("costumes") },
  handler: (ctx, args) => found(ctx, args.costume),
});

export const create = mutation({
  args: {
    tag: v.string(),
    piece: v.string(),
    chestCm: v.number(),
    lining: v.optional(v.string()),
  },
  handler: async (ctx, { tag, piece, chestCm, lining }) => {
    checkTag(tag);
    checkChest(chestCm);
    await checkFree(ctx, tag, null);
    return ctx.db.insert("costumes", { tag, piece, chestCm, lining, lentTo: null });
  },
});

export const replace = mutation({
  args: {
    costume: v.id("costumes"),
    tag: v.string(),
    piece: v.string(),
    chestCm: v.number(),
    lining: v.optional(v.string()),
  },
  handler: async (ctx, { costume, tag, piece, chestCm, lining }) => {
    await found(ctx, costume);
    checkTag(tag);
    checkChest(chestCm);
    await checkFree(ctx, tag, costume);
    // A patch with every field; undefined takes the lining out.
    await ctx.db.patch("costumes", costume, { tag, piece, chestCm, lining });
  },
});

export const change = mutation({
  args: {
    costume: v.id("costumes"),
    changes: v.object({
      tag: v.optional(v.string()),
      piece: v.optional(v.string()),
      chestCm: v.optional(v.number()),
      lining: v.optional(v.nullable(v.string())),
      lentTo: v.optional(v.nullable(v.string())),
    }),
  },
  handler: async (ctx, { costume, changes: { lining, ...changes } }) => {
    const old = await found(ctx, costume);
    if (changes.tag !== undefined) checkTag(changes.tag);
    if (changes.chestCm !== undefined) checkChest(changes.chestCm);
    if (changes.tag !== undefined) await checkFree(ctx, changes.tag, costume);
    await ctx.db.patch("costumes", costume, {
      ...changes,
      lining: lining === undefined ? old.lining : (lining ?? undefined),
    });
  },
});

export const remove = mutation({
  args: { costume: v.id("costumes") },
  handler: async (ctx, { costume }) => {
    const old = await found(ctx, costume);
    if (old.lentTo !== null) throw new Refusal({ code: "lent", to: old.lentTo });
    await ctx.db.delete("costumes", costume);
    return old;
  },
});
