// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc } from "./_generated/dataModel";
import { action, internalQuery } from "./_generated/server";
import { checkLimit, checkPeaks } from "./checks";

type Described = Pick<Doc<"spectra">, "_id" | "mineral" | "instrument"> & { score: number };

export const similar = action({
  args: {
    limit: v.optional(v.number()),
    instruments: v.optional(v.array(v.string())),
    peaks: v.array(v.number()),
  },
  handler: async (ctx, args): Promise<Described[]> => {
    const vector = checkPeaks(args.peaks);
    const limit = checkLimit(args.limit);
    const { instruments } = args;
    let hits: { _id: Described["_id"]; _score: number }[] = [];
    if (instruments === undefined) {
      hits = await ctx.vectorSearch("spectra", "likeness", { vector, limit });
    } else if (instruments.length > 0) {
      hits = await ctx.vectorSearch("spectra", "likeness", {
        vector,
        limit,
        filter: (q) => q.or(...instruments.map((name) => q.eq("instrument", name))),
      });
    }
    return await ctx.runQuery(internal.spectra.describe, {
      hits: hits.map((hit) => ({ _id: hit._id, score: hit._score })),
    });
  },
});

export const describe = internalQuery({
  args: { hits: v.array(v.object({ _id: v.id("spectra"), score: v.number() })) },
  handler: async (ctx, args) => {
    const documents = await Promise.all(args.hits.map((hit) => ctx.db.get(hit._id)));
    const found: Described[] = [];
    documents.forEach((document, n) => {
      if (!document) return;
      const { _id, mineral, instrument } = document;
      found.push({ _id, mineral, instrument, score: args.hits[n].score });
    });
    return found;
  },
});
