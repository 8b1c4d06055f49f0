// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, mutation, query, type QueryCtx } from "./_generated/server";
import { BATCH } from "./constants";
import { changePlayer, deletePlayer } from "./model/boards";
import { deleteGame } from "./model/games";
import { findPlayer, requirePlayer } from "./model/viewer";

async function checkName(ctx: QueryCtx, name: string) {
  if (!/^[a-z0-9-]{2,20}$/.test(name)) throw new ConvexError("bad name");
  if ((await findPlayer(ctx, name)) !== null) throw new ConvexError("name taken");
}

function checkCountry(country: string) {
  if (!/^[A-Z]{2}$/.test(country)) throw new ConvexError("bad country");
}

export const register = mutation({
  args: { name: v.string(), country: v.string() },
  returns: v.id("players"),
  handler: async (ctx, { name, country }) => {
    const identity = await ctx.auth.getUserIdentity();
    if (identity === null) throw new ConvexError("not signed in");
    const token = identity.tokenIdentifier;
    const own = ctx.db.query("players").withIndex("by_token", (q) => q.eq("token", token));
    if ((await own.first()) !== null) throw new ConvexError("registered already");
    await checkName(ctx, name);
    checkCountry(country);
    return await ctx.db.insert("players", { token, name, country });
  },
});

export const me = query({
  args: {},
  handler: async (ctx) => {
    const { name, country } = await requirePlayer(ctx);
    return { name, country };
  },
});

export const rename = mutation({
  args: { name: v.string() },
  returns: v.null(),
  handler: async (ctx, { name }) => {
    const player = await requirePlayer(ctx);
    await checkName(ctx, name);
    await changePlayer(ctx, player, { name });
    return null;
  },
});

export const moveTo = mutation({
  args: { country: v.string() },
  returns: v.null(),
  handler: async (ctx, { country }) => {
    const player = await requirePlayer(ctx);
    checkCountry(country);
    await changePlayer(ctx, player, { country });
    return null;
  },
});

/** The score of a player changes at this moment, by time alone. */
export const refresh = internalMutation({
  args: { player: v.id("players"), at: v.number() },
  returns: v.null(),
  handler: async (ctx, { player: id, at }) => {
    const player = await ctx.db.get("players", id);
    if (player === null) return null;
    if (player.wakeAt === at) {
      await ctx.db.patch("players", id, { wakeAt: undefined });
      await changePlayer(ctx, { ...player, wakeAt: undefined }, {});
    } else {
      await changePlayer(ctx, player, {});
    }
    return null;
  },
});

/** The player is gone at once, the games bit by bit. */
export const close = mutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const player = await requirePlayer(ctx);
    await deletePlayer(ctx, player);
    await ctx.scheduler.runAfter(0, internal.players.purge, { player: player._id });
    return null;
  },
});

export const purge = internalMutation({
  args: { player: v.id("players") },
  returns: v.null(),
  handler: async (ctx, { player }) => {
    const games = await ctx.db
      .query("games")
      .withIndex("by_player", (q) => q.eq("player", player))
      .take(BATCH);
    for (const game of games) await deleteGame(ctx, game);
    if (games.length === BATCH)
      await ctx.scheduler.runAfter(0, internal.players.purge, { player });
    return null;
  },
});
