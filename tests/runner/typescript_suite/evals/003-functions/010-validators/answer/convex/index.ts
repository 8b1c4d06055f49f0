import { v } from "convex/values";
import { query } from "./_generated/server";

export const check = query({
  args: {
    shape: v.union(
      v.object({ kind: v.literal("circle"), radius: v.number() }),
      v.object({ kind: v.literal("square"), side: v.number() }),
    ),
    counts: v.record(v.string(), v.number()),
    note: v.optional(v.union(v.string(), v.null())),
    big: v.int64(),
  },
  handler: async (_ctx, args) => args,
});
