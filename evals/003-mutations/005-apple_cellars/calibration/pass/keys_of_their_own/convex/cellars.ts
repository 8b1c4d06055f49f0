// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation } from "./_generated/server";

const cellar = v.id("cellars");

export const move = mutation({
  args: { key: v.string(), from: cellar, to: cellar, crates: v.number() },
  handler: async (ctx, args) => {
    const { key, from, to, crates } = args;
    const answer = await ctx.db
      .query("answers")
      .withIndex("by_key", (q) => q.eq("key", key))
      .first();
    if (answer) {
      const move = await ctx.db.get(answer.move);
      if (move?.from === from && move.to === to && move.crates === crates) {
        return { fromLeft: answer.fromLeft, toHas: answer.toHas };
      }
      throw new ConvexError({ code: "KEY_REUSED" });
    }

    // Written first: a refusal undoes it.
    const move = await ctx.db.insert("moves", args);
    if (crates < 1 || crates !== Math.floor(crates)) throw new ConvexError({ code: "BAD_COUNT" });
    if (from === to) throw new ConvexError({ code: "SAME_CELLAR" });
    const source = await ctx.db.get(from);
    const target = await ctx.db.get(to);
    if (!source || !target) throw new ConvexError({ code: "NO_CELLAR" });
    if (crates > source.crates) throw new ConvexError({ code: "TOO_FEW", left: source.crates });
    const room = target.capacity - target.crates;
    if (crates > room) throw new ConvexError({ code: "NO_ROOM", room });
    await ctx.db.patch(from, { crates: source.crates - crates });
    await ctx.db.patch(to, { crates: target.crates + crates });
    const result = { fromLeft: source.crates - crates, toHas: target.crates + crates };
    await ctx.db.insert("answers", { key, move, ...result });
    return result;
  },
});
