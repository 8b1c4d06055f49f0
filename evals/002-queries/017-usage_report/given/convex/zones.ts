// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation } from "./_generated/server";
import { MINUTE, QUARTER } from "./constants";
import { requireStaff } from "./model/viewer";

/** Enters or mends the offset of a zone from a moment on. */
export const put = mutation({
  args: { name: v.string(), since: v.number(), offset: v.number() },
  returns: v.null(),
  handler: async (ctx, { name, since, offset }) => {
    await requireStaff(ctx);
    if (since < 0 || since % QUARTER !== 0) throw new ConvexError("bad moment");
    if ((offset * MINUTE) % QUARTER !== 0 || Math.abs(offset) > 14 * 60)
      throw new ConvexError("bad offset");
    const row = await ctx.db
      .query("zones")
      .withIndex("by_name", (q) => q.eq("name", name).eq("since", since))
      .unique();
    if (row === null) await ctx.db.insert("zones", { name, since, offset });
    else await ctx.db.patch("zones", row._id, { offset });
    return null;
  },
});
