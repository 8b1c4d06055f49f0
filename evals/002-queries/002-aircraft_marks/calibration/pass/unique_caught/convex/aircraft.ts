// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { query, type QueryCtx } from "./_generated/server";

type Answer = { state: "none" } | { state: "one"; aircraft: Doc<"aircraft"> } | { state: "several" };

async function lookUp(ctx: QueryCtx, mark: string): Promise<Answer> {
  const matching = ctx.db.query("aircraft").withIndex("by_mark", (q) => q.eq("mark", mark));
  try {
    const aircraft = await matching.unique();
    return aircraft ? { state: "one", aircraft } : { state: "none" };
  } catch {
    return { state: "several" };
  }
}

export const byMark = query({
  args: { mark: v.string() },
  handler: async (ctx, args) => {
    const answer = await lookUp(ctx, args.mark);
    switch (answer.state) {
      case "none":
        return null;
      case "one":
        return answer.aircraft;
      case "several":
        throw new ConvexError({ kind: "ambiguousMark", mark: args.mark });
    }
  },
});

export const resolve = query({
  args: { marks: v.array(v.string()) },
  handler: async (ctx, args) => {
    const known = new Map<string, Answer>();
    for (const mark of args.marks) {
      if (!known.has(mark)) known.set(mark, await lookUp(ctx, mark));
    }
    return args.marks.map((mark) => {
      const answer = known.get(mark);
      return {
        mark,
        aircraft: answer?.state === "one" ? answer.aircraft._id : null,
        ambiguous: answer?.state === "several",
      };
    });
  },
});
