// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query, type MutationCtx, type QueryCtx } from "./_generated/server";

export const accept = mutation({
  args: {
    office: v.string(),
    telegrams: v.array(v.object({ addressee: v.string(), words: v.number() })),
  },
  handler: async (ctx, { office, telegrams }) => {
    if (telegrams.some(({ words }) => words < 1)) {
      throw new ConvexError("no words");
    }
    const ids = await Promise.all(
      telegrams.map(async (telegram) => {
        await change(ctx, office, 1, telegram.words);
        return await ctx.db.insert("telegrams", { office, ...telegram });
      }),
    );
    return ids;
  },
});

export const deliver = mutation({
  args: { ids: v.array(v.id("telegrams")) },
  handler: async (ctx, { ids }) => {
    let removed = 0;
    // One after the other: each change of a count reads what the one before it wrote.
    for (const id of ids) {
      const telegram = await ctx.db.get("telegrams", id);
      if (telegram !== null) {
        await ctx.db.delete("telegrams", id);
        await change(ctx, telegram.office, -1, -telegram.words);
        removed += 1;
      }
    }
    return removed;
  },
});

export const reroute = mutation({
  args: { id: v.id("telegrams"), office: v.string() },
  handler: async (ctx, { id, office }) => {
    const telegram = await ctx.db.get("telegrams", id);
    if (telegram === null) {
      return false;
    }
    await ctx.db.patch("telegrams", id, { office });
    await change(ctx, telegram.office, -1, -telegram.words);
    await change(ctx, office, 1, telegram.words);
    return true;
  },
});

export const waiting = query({
  args: { office: v.string() },
  handler: async (ctx, { office }) => {
    const count = await countOf(ctx, office);
    return { telegrams: count?.telegrams ?? 0, words: count?.words ?? 0 };
  },
});

async function countOf(ctx: QueryCtx, office: string) {
  return await ctx.db
    .query("counts")
    .withIndex("by_office", (q) => q.eq("office", office))
    .unique();
}

async function change(ctx: MutationCtx, office: string, telegrams: number, words: number) {
  const count = await countOf(ctx, office);
  if (count === null) {
    await ctx.db.insert("counts", { office, telegrams, words });
  } else {
    await ctx.db.patch("counts", count._id, {
      telegrams: count.telegrams + telegrams,
      words: count.words + words,
    });
  }
}
