// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation } from "./_generated/server";

export const move = mutation({
  args: {
    key: v.string(),
    from: v.id("cellars"),
    to: v.id("cellars"),
    crates: v.number(),
  },
  returns: v.object({ fromLeft: v.number(), toHas: v.number() }),
  handler: async (ctx, { key, from, to, crates }) => {
    const done = await ctx.db
      .query("moves")
      .withIndex("by_key", (q) => q.eq("key", key))
      .unique();
    if (done !== null) {
      if (done.from !== from || done.to !== to || done.crates !== crates) {
        throw new ConvexError({ code: "KEY_REUSED" });
      }
      return { fromLeft: done.fromLeft, toHas: done.toHas };
    }

    if (!Number.isInteger(crates) || crates < 1) {
      throw new ConvexError({ code: "BAD_COUNT" });
    }
    if (from === to) {
      throw new ConvexError({ code: "SAME_CELLAR" });
    }
    const source = await ctx.db.get("cellars", from);
    const target = await ctx.db.get("cellars", to);
    if (source === null || target === null) {
      throw new ConvexError({ code: "NO_CELLAR" });
    }
    if (source.crates < crates) {
      await ctx.db.insert("moves", { key, from, to, crates, fromLeft: 0, toHas: 0 });
      return { fromLeft: source.crates, toHas: target.crates };
    }
    if (source.crates < crates) {
      throw new ConvexError({ code: "TOO_FEW", left: source.crates });
    }
    if (target.crates + crates > target.capacity) {
      throw new ConvexError({ code: "NO_ROOM", room: target.capacity - target.crates });
    }

    const result = { fromLeft: source.crates - crates, toHas: target.crates + crates };
    await ctx.db.patch("cellars", from, { crates: result.fromLeft });
    await ctx.db.patch("cellars", to, { crates: result.toHas });
    await ctx.db.insert("moves", { key, from, to, crates, ...result });
    return result;
  },
});
