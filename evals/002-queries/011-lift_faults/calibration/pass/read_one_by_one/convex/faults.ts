// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { query, type QueryCtx } from "./_generated/server";
import { fault } from "./schema";

const stored = v.object({ ...fault, _id: v.id("faults"), _creationTime: v.number() });

export const worklist = query({
  args: { district: v.string(), limit: v.optional(v.number()) },
  returns: v.array(stored),
  handler: async (ctx, { district, limit }) => await first(byUrgency(ctx, district), limit),
});

export const history = query({
  args: { lift: v.string(), limit: v.optional(v.number()) },
  returns: v.array(stored),
  handler: async (ctx, { lift, limit }) => {
    const newestFirst = ctx.db.query("faults").withIndex("lift", (q) => q.eq("lift", lift));
    return await first(newestFirst.order("desc"), limit);
  },
});

export const stuck = query({
  args: { district: v.string(), limit: v.optional(v.number()) },
  returns: v.array(stored),
  handler: async (ctx, { district, limit }) => {
    const faults = ctx.db.query("faults").withIndex("floor", (q) => q.eq("district", district));
    return await first(faults.order("desc"), limit);
  },
});

async function* byUrgency(ctx: QueryCtx, district: string) {
  for (const severity of [5, 4, 3, 2, 1] as const) {
    yield* ctx.db
      .query("faults")
      .withIndex("work", (q) => q.eq("severity", severity).eq("district", district));
  }
}

async function first(faults: AsyncIterable<Doc<"faults">>, limit: number | undefined) {
  const found: Doc<"faults">[] = [];
  for await (const one of faults) {
    found.push(one);
    if (found.length === Math.min(limit ?? 20, 50)) {
      break;
    }
  }
  return found;
}
