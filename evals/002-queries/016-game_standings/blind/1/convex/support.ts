// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation } from "./_generated/server";
import { MAX_GAMES } from "./constants";
import { changePlayer, deletePlayer } from "./model/boards";
import { recentGames } from "./model/scores";
import { playerByName, requireStaff } from "./model/viewer";

/** Somebody registered twice: the games of the first account go over to the second. */
export const merge = mutation({
  args: { from: v.string(), into: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    await requireStaff(ctx);
    const from = await playerByName(ctx, args.from);
    const into = await playerByName(ctx, args.into);
    if (from._id === into._id) throw new ConvexError("the same player");
    const recent = await Promise.all([from, into].map(({ _id }) => recentGames(ctx, _id)));
    if (recent.flat().length > MAX_GAMES) throw new ConvexError("too many games");
    const games = await ctx.db
      .query("games")
      .withIndex("by_player", (q) => q.eq("player", from._id))
      .collect();
    for (const game of games) await ctx.db.patch("games", game._id, { player: into._id });
    await deletePlayer(ctx, from);
    await changePlayer(ctx, into, {});
    return null;
  },
});
