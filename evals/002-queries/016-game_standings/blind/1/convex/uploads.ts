// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { internalMutation } from "./_generated/server";
import { MAX_UPLOAD } from "./constants";
import { refreshPlayers } from "./model/boards";
import { insertGame } from "./model/games";
import { findPlayer } from "./model/viewer";

export const store = internalMutation({
  args: {
    machine: v.string(),
    results: v.array(v.object({ name: v.string(), points: v.number(), playedAt: v.number() })),
  },
  returns: v.number(),
  handler: async (ctx, args) => {
    const machine = ctx.db.normalizeId("machines", args.machine);
    if (machine === null || (await ctx.db.get("machines", machine)) === null)
      throw new ConvexError("no such machine");
    if (args.results.length > MAX_UPLOAD) throw new ConvexError("too many results");
    const players: Id<"players">[] = [];
    for (const { name, points, playedAt } of args.results) {
      if (playedAt > Date.now()) throw new ConvexError("not played yet");
      const player = await findPlayer(ctx, name);
      if (player === null) continue;
      await insertGame(ctx, { player: player._id, machine, points, playedAt });
      players.push(player._id);
    }
    await refreshPlayers(ctx, players);
    return players.length;
  },
});
