// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query, type MutationCtx } from "./_generated/server";

// Several counts for an office, so that two mutations at once seldom change the same one.
const SHARDS = 4;

export const accept = mutation({
  args: {
    office: v.string(),
    telegrams: v.array(v.object({ addressee: v.string(), words: v.number() })),
  },
  handler: async (ctx, { office, telegrams }) => {
    let words = 0;
    const ids = [];
    for (const telegram of telegrams) {
      if (telegram.words < 1) throw new ConvexError("no words");
      words += telegram.words;
      ids.push(await ctx.db.insert("telegrams", { office, ...telegram }));
    }
    await count(ctx, office, ids.length, words);
    return ids;
  },
});

export const deliver = mutation({
  args: { ids: v.array(v.id("telegrams")) },
  handler: async (ctx, { ids }) => {
    const removed = new Set<string>();
    for (const id of ids) {
      const telegram = await ctx.db.get("telegrams", id);
      if (!telegram) continue;
      removed.add(id);
      await ctx.db.delete("telegrams", id);
      await count(ctx, telegram.office, -1, -telegram.words);
    }
    return removed.size;
  },
});

export const reroute = mutation({
  args: { id: v.id("telegrams"), office: v.string() },
  handler: async (ctx, { id, office }) => {
    const telegram = await ctx.db.get("telegrams", id);
    if (!telegram) return false;
    await count(ctx, telegram.office, -1, -telegram.words);
    await count(ctx, office, 1, telegram.words);
    await ctx.db.patch("telegrams", id, { office });
    return true;
  },
});

export const waiting = query({
  args: { office: v.string() },
  handler: async (ctx, { office }) => {
    const sums = { telegrams: 0, words: 0 };
    const shards = ctx.db
      .query("shards")
      .withIndex("by_office_and_shard", (q) => q.eq("office", office));
    for await (const shard of shards) {
      sums.telegrams += shard.telegrams;
      sums.words += shard.words;
    }
    return sums;
  },
});

async function count(ctx: MutationCtx, office: string, telegrams: number, words: number) {
  const shard = Math.floor(Math.random() * SHARDS);
  const kept = await ctx.db
    .query("shards")
    .withIndex("by_office_and_shard", (q) => q.eq("office", office).eq("shard", shard))
    .unique();
  const before = kept ?? { telegrams: 0, words: 0 };
  const after = { telegrams: before.telegrams + telegrams, words: before.words + words };
  if (kept) await ctx.db.patch("shards", kept._id, after);
  else await ctx.db.insert("shards", { office, shard, ...after });
}
