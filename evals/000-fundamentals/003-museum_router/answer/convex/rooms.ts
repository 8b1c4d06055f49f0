// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, internalQuery, type QueryCtx } from "./_generated/server";

async function byCode(ctx: QueryCtx, code: string) {
  return await ctx.db
    .query("rooms")
    .withIndex("by_code", (q) => q.eq("code", code))
    .unique();
}

export const list = internalQuery({
  args: { open: v.boolean() },
  handler: async (ctx, { open }) =>
    await ctx.db
      .query("rooms")
      .withIndex("by_open_and_code", (q) => q.eq("open", open))
      .collect(),
});

export const get = internalQuery({
  args: { code: v.string() },
  handler: async (ctx, { code }) => await byCode(ctx, code),
});

export const visit = internalMutation({
  args: { code: v.string() },
  handler: async (ctx, { code }) => {
    const room = await byCode(ctx, code);
    if (room === null) return { error: "no_such_room" as const };
    if (!room.open) return { error: "closed" as const };
    const visits = room.visits + 1;
    await ctx.db.patch("rooms", room._id, { visits });
    return { visits };
  },
});
