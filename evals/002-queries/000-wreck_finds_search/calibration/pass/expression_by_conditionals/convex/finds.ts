// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { query } from "./_generated/server";

const find = v.object({
  _id: v.id("finds"),
  _creationTime: v.number(),
  description: v.string(),
  wreck: v.string(),
  material: v.string(),
  onLoan: v.boolean(),
});

export const search = query({
  args: {
    text: v.string(),
    wreck: v.string(),
    material: v.optional(v.string()),
    onLoan: v.optional(v.boolean()),
    limit: v.optional(v.number()),
  },
  returns: v.array(find),
  handler: async (ctx, args) => {
    const found: Doc<"finds">[] = [];
    if (!args.text.trim()) return found;
    const limit = Math.min(args.limit === undefined ? 10 : args.limit, 50);
    const matches = ctx.db.query("finds").withSearchIndex("search_description", (q) => {
      const inWreck = q.search("description", args.text).eq("wreck", args.wreck);
      const ofMaterial = args.material === undefined ? inWreck : inWreck.eq("material", args.material);
      return args.onLoan === undefined ? ofMaterial : ofMaterial.eq("onLoan", args.onLoan);
    });
    for await (const match of matches) {
      if (found.length >= limit) break;
      found.push(match);
    }
    return found;
  },
});
