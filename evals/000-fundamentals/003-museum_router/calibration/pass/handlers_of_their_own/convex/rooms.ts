// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internalMutation, internalQuery } from "./_generated/server";

export const all = internalQuery({
  args: {},
  handler: async (ctx) => {
    const rooms = await ctx.db.query("rooms").collect();
    return rooms.sort((a, b) => (a.code < b.code ? -1 : 1));
  },
});

export const byCode = internalQuery({
  args: { code: v.string() },
  handler: async (ctx, args) =>
    await ctx.db
      .query("rooms")
      .filter((q) => q.eq(q.field("code"), args.code))
      .first(),
});

export const addVisit = internalMutation({
  args: { code: v.string() },
  returns: v.number(),
  handler: async (ctx, args) => {
    const room = await ctx.db
      .query("rooms")
      .filter((q) => q.eq(q.field("code"), args.code))
      .first();
    if (!room) throw new ConvexError("no_such_room");
    if (!room.open) throw new ConvexError("closed");
    await ctx.db.patch(room._id, { visits: room.visits + 1 });
    return room.visits + 1;
  },
});
