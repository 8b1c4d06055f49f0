// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v, type Infer } from "convex/values";
import { internal } from "./_generated/api";
import { internalQuery, query } from "./_generated/server";
import { PEAKS } from "./schema";

const USUAL_LIMIT = 10;
const GREATEST_LIMIT = 50;

const described = v.object({
  _id: v.id("spectra"),
  mineral: v.string(),
  instrument: v.string(),
  score: v.number(),
});

export const similar = query({
  args: {
    peaks: v.array(v.number()),
    instruments: v.optional(v.array(v.string())),
    limit: v.optional(v.number()),
  },
  returns: v.array(described),
  handler: async (
    ctx,
    { peaks, instruments, limit = USUAL_LIMIT },
  ): Promise<Infer<typeof described>[]> => {
    if (peaks.length !== PEAKS) {
      throw new ConvexError("bad peaks");
    }
    if (!Number.isInteger(limit) || limit < 1 || limit > GREATEST_LIMIT) {
      throw new ConvexError("bad limit");
    }
    if (instruments?.length === 0) {
      return [];
    }
    const found = await ctx.vectorSearch("spectra", "by_peaks", {
      vector: peaks,
      limit,
      filter:
        instruments && ((q) => q.or(...instruments.map((each) => q.eq("instrument", each)))),
    });
    const hits = found.map(({ _id, _score }) => ({ _id, score: _score }));
    return await ctx.runQuery(internal.spectra.describe, { hits });
  },
});

export const describe = internalQuery({
  args: { hits: v.array(v.object({ _id: v.id("spectra"), score: v.number() })) },
  returns: v.array(described),
  handler: async (ctx, { hits }) => {
    const results = [];
    for (const { _id, score } of hits) {
      const spectrum = await ctx.db.get("spectra", _id);
      if (spectrum !== null) {
        results.push({
          _id,
          mineral: spectrum.mineral,
          instrument: spectrum.instrument,
          score,
        });
      }
    }
    return results;
  },
});
