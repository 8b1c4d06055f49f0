// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { mutation, query, type MutationCtx } from "./_generated/server";
import { changePlayer, refreshPlayers } from "./model/boards";
import { insertGame, setVoided } from "./model/games";
import { recentGames } from "./model/scores";
import { requirePlayer, requireStaff } from "./model/viewer";

/** A player has finished a game at a machine. */
export const report = mutation({
  args: { machine: v.id("machines"), points: v.number() },
  returns: v.id("games"),
  handler: async (ctx, { machine, points }) => {
    const player = await requirePlayer(ctx);
    if ((await ctx.db.get("machines", machine)) === null) throw new ConvexError("no such machine");
    const playedAt = Date.now();
    const game = await insertGame(ctx, { player: player._id, machine, points, playedAt });
    await changePlayer(ctx, player, {});
    return game;
  },
});

async function requireGame(ctx: MutationCtx, id: Id<"games">) {
  await requireStaff(ctx);
  const game = await ctx.db.get("games", id);
  if (game === null) throw new ConvexError("no such game");
  return game;
}

/** The game does not count any more. */
export const cancel = mutation({
  args: { game: v.id("games") },
  returns: v.null(),
  handler: async (ctx, { game: id }) => {
    const game = await requireGame(ctx, id);
    await setVoided(ctx, game, true);
    await refreshPlayers(ctx, [game.player]);
    return null;
  },
});

export const restore = mutation({
  args: { game: v.id("games") },
  returns: v.null(),
  handler: async (ctx, { game: id }) => {
    const game = await requireGame(ctx, id);
    await setVoided(ctx, game, false);
    await refreshPlayers(ctx, [game.player]);
    return null;
  },
});

export const mine = query({
  args: {},
  handler: async (ctx) => {
    const { _id: player } = await requirePlayer(ctx);
    const games = await recentGames(ctx, player);
    return games.map(({ _id, points, playedAt, voided }) => ({ _id, points, playedAt, voided }));
  },
});
