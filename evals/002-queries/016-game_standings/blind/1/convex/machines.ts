// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { refreshPlayers } from "./model/boards";
import { setVoided } from "./model/games";
import { lastGameAt } from "./model/totals";
import { requireStaff } from "./model/viewer";

export const add = mutation({
  args: { site: v.string() },
  returns: v.id("machines"),
  handler: async (ctx, { site }) => {
    await requireStaff(ctx);
    return await ctx.db.insert("machines", { site });
  },
});

export const list = query({
  args: {},
  handler: async (ctx) => {
    const machines = await ctx.db.query("machines").collect();
    return await Promise.all(
      machines.map(async (machine) => ({
        _id: machine._id,
        site: machine.site,
        lastGameAt: await lastGameAt(ctx, machine),
      })),
    );
  },
});

/** A machine was out of order: what was played on it in this time, at most an hour, is voided. */
export const voidGames = mutation({
  args: { machine: v.id("machines"), from: v.number(), to: v.number() },
  returns: v.number(),
  handler: async (ctx, { machine, from, to }) => {
    await requireStaff(ctx);
    const games = await ctx.db
      .query("games")
      .withIndex("by_machine", (q) =>
        q.eq("machine", machine).gte("playedAt", from).lt("playedAt", to),
      )
      .collect();
    for (const game of games) await setVoided(ctx, game, true);
    await refreshPlayers(
      ctx,
      games.map(({ player }) => player),
    );
    return games.length;
  },
});
