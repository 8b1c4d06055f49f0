// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { query } from "./_generated/server";
import { countEntries } from "./model/standings";
import { countGames } from "./model/totals";

/** All games ever, and the players who stand on the board of the world. */
export const summary = query({
  args: {},
  handler: async (ctx) => {
    const players = await countEntries(ctx);
    return { games: await countGames(ctx), players };
  },
});
