// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";

import type { Doc } from "./_generated/dataModel";
import { mutation, query, type MutationCtx } from "./_generated/server";
import schema from "./schema";

const { title, seats } = schema.tables.games.validator.fields;
const game = v.id("games");

export const list = query({ handler: (ctx) => ctx.db.query("games").take(100), args: {} });

export const open = mutation({
  args: { title, seats },
  returns: game,
  handler: (ctx, args) => ctx.db.insert("games", { title: args.title, seats: args.seats, taken: 0 }),
});

type Fields = Partial<Pick<Doc<"games">, "title" | "taken">>;

async function change(
  ctx: MutationCtx,
  id: Doc<"games">["_id"],
  changed: (game: Doc<"games">) => Fields,
) {
  const found = await ctx.db.get("games", id);
  if (!found) throw new ConvexError({ kind: "gone" });
  await ctx.db.patch("games", id, changed(found));
  return null;
}

export const join = mutation({
  args: { game },
  returns: v.null(),
  handler: (ctx, args) =>
    change(ctx, args.game, ({ seats, taken }) => {
      if (taken === seats) throw new ConvexError({ kind: "full", seats });
      return { taken: taken + 1 };
    }),
});

export const leave = mutation({
  args: { game },
  returns: v.null(),
  handler: (ctx, args) =>
    change(ctx, args.game, ({ taken }) => {
      if (taken === 0) throw new ConvexError({ kind: "nobody" });
      return { taken: taken - 1 };
    }),
});

export const rename = mutation({
  args: { game, title },
  returns: v.null(),
  handler: (ctx, args) =>
    change(ctx, args.game, () => {
      if (!args.title.trim()) throw new ConvexError({ kind: "untitled" });
      return { title: args.title.trim() };
    }),
});

export const close = mutation({
  args: { game },
  returns: v.null(),
  handler: async (ctx, args) => {
    if (await ctx.db.get("games", args.game)) await ctx.db.delete("games", args.game);
    return null;
  },
});
