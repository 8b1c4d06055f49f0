// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { refuse } from "./lib/errors";
import { requireRider } from "./lib/session";
import { currentId } from "./model/accounts";

/** The caller's newest notices. */
export const list = query({
  args: {},
  handler: async (ctx) => {
    const { _id: rider } = await requireRider(ctx);
    const notices = await ctx.db
      .query("notices")
      .withIndex("by_rider", (q) => q.eq("rider", rider))
      .order("desc")
      .take(50);
    return notices.map(({ _id, text, isRead }) => ({ id: _id, text, isRead }));
  },
});

/** Marks a notice of the caller as read. To do so twice does no harm. */
export const read = mutation({
  args: { notice: v.id("notices") },
  returns: v.null(),
  handler: async (ctx, { notice: id }) => {
    const rider = await requireRider(ctx);
    const notice = (await ctx.db.get("notices", id)) ?? refuse("not_found");
    if ((await currentId(ctx, notice.rider)) !== rider._id) refuse("not_found");
    if (notice.isRead) return null;
    await ctx.db.patch("notices", id, { isRead: true });
    await ctx.db.patch("riders", rider._id, { unread: rider.unread - 1 });
    return null;
  },
});
