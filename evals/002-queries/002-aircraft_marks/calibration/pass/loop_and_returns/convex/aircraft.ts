// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { query } from "./_generated/server";
import { aircraftFields } from "./schema";

const stored = v.object({
  ...aircraftFields,
  _id: v.id("aircraft"),
  _creationTime: v.number(),
});

const entry = v.object({
  mark: v.string(),
  aircraft: v.union(v.id("aircraft"), v.null()),
  ambiguous: v.boolean(),
});

export const byMark = query({
  args: { mark: v.string() },
  returns: v.union(stored, v.null()),
  handler: async (ctx, { mark }) => {
    const marked = () => ctx.db.query("aircraft").withIndex("marks", (q) => q.eq("mark", mark));
    const first = await marked().first();
    const last = await marked().order("desc").first();
    if (first?._id !== last?._id) throw new ConvexError({ kind: "ambiguousMark", mark });
    return first;
  },
});

export const resolve = query({
  args: { marks: v.array(v.string()) },
  returns: v.array(entry),
  handler: async (ctx, { marks }) => {
    const entries = [];
    for (const mark of marks) {
      const bearers = [];
      for await (const bearer of ctx.db
        .query("aircraft")
        .withIndex("marks", (q) => q.eq("mark", mark))) {
        bearers.push(bearer._id);
        if (bearers.length === 2) break;
      }
      entries.push({
        mark,
        aircraft: bearers.length === 1 ? bearers[0] : null,
        ambiguous: bearers.length === 2,
      });
    }
    return entries;
  },
});
