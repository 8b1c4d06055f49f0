// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { mutation } from "./_generated/server";

const title = v.string();
const parts = {
  estimate: v.optional(v.object({ low: v.number(), high: v.number() })),
  reserve: v.optional(v.number()),
  provenance: v.optional(v.array(v.string())),
};

type Description = Pick<Doc<"lots">, "title" | "estimate" | "reserve" | "provenance">;

function problem(lot: Doc<"lots"> | null, revision: number, next: () => Description) {
  if (!lot) return { code: "NO_LOT" };
  if (lot.withdrawn) return { code: "WITHDRAWN" };
  if (lot.revision !== revision) return { code: "OUTDATED", revision: lot.revision };
  const { title, estimate, reserve } = next();
  if (!title) return { code: "NO_TITLE" };
  if (!estimate) return null;
  if (estimate.low > estimate.high) return { code: "BAD_ESTIMATE" };
  return (reserve ?? -Infinity) > estimate.low ? { code: "BAD_RESERVE" } : null;
}

export const correct = mutation({
  args: {
    lot: v.id("lots"),
    revision: v.number(),
    changes: v.object({ title: v.optional(title), ...parts }),
  },
  handler: async (ctx, { lot, revision, changes }) => {
    const stored = await ctx.db.get(lot);
    const wrong = problem(stored, revision, () => ({ title: "", ...stored, ...changes }));
    if (wrong) throw new ConvexError(wrong);
    await ctx.db.patch(lot, { ...changes, revision: revision + 1 });
    return revision + 1;
  },
});

export const rewrite = mutation({
  args: {
    lot: v.id("lots"),
    revision: v.number(),
    description: v.object({ title, ...parts }),
  },
  handler: async (ctx, { lot, revision, description }) => {
    const wrong = problem(await ctx.db.get(lot), revision, () => description);
    if (wrong) throw new ConvexError(wrong);
    // What is given as undefined is removed.
    const { title, estimate, reserve, provenance } = description;
    await ctx.db.patch(lot, { title, estimate, reserve, provenance, revision: revision + 1 });
    return revision + 1;
  },
});
