// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { action, internalQuery, type ActionCtx } from "./_generated/server";

type Result = { _id: Id<"spectra">; mineral: string; instrument: string; score: number };

async function search(ctx: ActionCtx, vector: number[], limit: number, instrument?: string) {
  return await ctx.vectorSearch("spectra", "by_peaks", {
    vector,
    limit,
    ...(instrument === undefined ? {} : { filter: (q) => q.eq("instrument", instrument) }),
  });
}

/** Searches each instrument by itself, and takes the best of all. */
export const similar = action({
  args: {
    peaks: v.array(v.number()),
    instruments: v.optional(v.array(v.string())),
    limit: v.optional(v.number()),
  },
  handler: async (ctx, args): Promise<Result[]> => {
    const { peaks, instruments } = args;
    const limit = args.limit === undefined ? 10 : args.limit;
    if (peaks.length !== 8) throw new ConvexError("bad peaks");
    if (limit % 1 !== 0 || limit <= 0 || limit > 50) throw new ConvexError("bad limit");

    const found = instruments
      ? (
          await Promise.all(
            [...new Set(instruments)].map((each) => search(ctx, peaks, limit, each)),
          )
        ).flat()
      : await search(ctx, peaks, limit);
    const hits = found
      .sort((one, other) => other._score - one._score)
      .slice(0, limit)
      .map((hit) => ({ _id: hit._id, score: hit._score }));
    return await ctx.runQuery(internal.spectra.describe, { hits });
  },
});

export const describe = internalQuery({
  args: { hits: v.array(v.object({ _id: v.id("spectra"), score: v.float64() })) },
  handler: async (ctx, { hits }): Promise<Result[]> => {
    const described = await Promise.all(
      hits.map(async (hit) => {
        const found = await ctx.db.get("spectra", hit._id);
        return found ? [{ ...hit, mineral: found.mineral, instrument: found.instrument }] : [];
      }),
    );
    return described.flat();
  },
});
