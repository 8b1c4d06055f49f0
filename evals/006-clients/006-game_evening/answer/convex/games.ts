// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";

import type { Id } from "./_generated/dataModel";
import { mutation, query, type MutationCtx } from "./_generated/server";

export const list = query({
  args: {},
  handler: async (ctx) => await ctx.db.query("games").collect(),
});

export const open = mutation({
  args: { title: v.string(), seats: v.number() },
  handler: async (ctx, game) => await ctx.db.insert("games", { ...game, taken: 0 }),
});

export const join = mutation({
  args: { game: v.id("games") },
  handler: async (ctx, args) => {
    const game = await existing(ctx, args.game);
    if (game.taken >= game.seats) throw new ConvexError({ kind: "full", seats: game.seats });
    await ctx.db.patch("games", game._id, { taken: game.taken + 1 });
  },
});

export const leave = mutation({
  args: { game: v.id("games") },
  handler: async (ctx, args) => {
    const game = await existing(ctx, args.game);
    if (game.taken <= 0) throw new ConvexError({ kind: "nobody" });
    await ctx.db.patch("games", game._id, { taken: game.taken - 1 });
  },
});

export const rename = mutation({
  args: { game: v.id("games"), title: v.string() },
  handler: async (ctx, args) => {
    const game = await existing(ctx, args.game);
    const title = args.title.trim();
    if (title === "") throw new ConvexError({ kind: "untitled" });
    await ctx.db.patch("games", game._id, { title });
  },
});

export const close = mutation({
  args: { game: v.id("games") },
  handler: async (ctx, args) => {
    const game = await ctx.db.get("games", args.game);
    if (game !== null) await ctx.db.delete("games", game._id);
  },
});

async function existing(ctx: MutationCtx, id: Id<"games">) {
  const game = await ctx.db.get("games", id);
  if (game === null) throw new ConvexError({ kind: "gone" });
  return game;
}
