// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { mutation, query, type QueryCtx } from "./_generated/server";

const description = {
  tag: v.string(),
  piece: v.string(),
  chestCm: v.number(),
  lining: v.optional(v.string()),
};

export const create = mutation({
  args: description,
  handler: async (ctx, args) => {
    await check(ctx, args);
    return await ctx.db.insert("costumes", { ...args, lentTo: null });
  },
});

export const read = query({
  args: { costume: v.id("costumes") },
  handler: async (ctx, { costume }) => await existing(ctx, costume),
});

export const replace = mutation({
  args: { costume: v.id("costumes"), ...description },
  handler: async (ctx, { costume, ...fields }) => {
    const { lentTo } = await existing(ctx, costume);
    await check(ctx, fields, costume);
    await ctx.db.replace("costumes", costume, { ...fields, lentTo });
    return null;
  },
});

export const change = mutation({
  args: {
    costume: v.id("costumes"),
    changes: v.object({
      tag: v.optional(v.string()),
      piece: v.optional(v.string()),
      chestCm: v.optional(v.number()),
      lining: v.optional(v.union(v.string(), v.null())),
      lentTo: v.optional(v.union(v.string(), v.null())),
    }),
  },
  handler: async (ctx, { costume, changes }) => {
    await existing(ctx, costume);
    await check(ctx, changes, costume);
    await ctx.db.patch("costumes", costume, changes);
    return null;
  },
});

export const remove = mutation({
  args: { costume: v.id("costumes") },
  handler: async (ctx, { costume }) => {
    const document = await existing(ctx, costume);
    if (document.lentTo !== null) throw new ConvexError({ code: "lent", to: document.lentTo });
    await ctx.db.delete("costumes", costume);
    return document;
  },
});

async function existing(ctx: QueryCtx, costume: Id<"costumes">) {
  const document = await ctx.db.get("costumes", costume);
  if (document === null) throw new ConvexError({ code: "not_found", costume });
  return document;
}

/** Refuses values that a costume cannot have; `self` is the costume that they are for. */
async function check(
  ctx: QueryCtx,
  { tag, chestCm }: { tag?: string; chestCm?: number },
  self?: Id<"costumes">,
) {
  if (tag === "") throw new ConvexError({ code: "invalid", field: "tag" });
  if (chestCm !== undefined && !(chestCm > 0)) {
    throw new ConvexError({ code: "invalid", field: "chestCm" });
  }
  if (tag === undefined) return;
  const holder = await ctx.db
    .query("costumes")
    .withIndex("by_tag", (q) => q.eq("tag", tag))
    .unique();
  if (holder !== null && holder._id !== self) {
    throw new ConvexError({ code: "tag_taken", tag, costume: holder._id });
  }
}
