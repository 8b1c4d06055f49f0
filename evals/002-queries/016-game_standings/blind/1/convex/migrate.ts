// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, type QueryCtx } from "./_generated/server";
import { changePlayer } from "./model/boards";

/** A call begins no further player after about so many documents, far below what it may read. */
const MAX_READS = 1200;

/** The tokens of players never change, so that nobody is passed over. */
function playerAfter(ctx: QueryCtx, token?: string) {
  return ctx.db
    .query("players")
    .withIndex("by_token", (q) => (token === undefined ? q : q.gt("token", token)))
    .first();
}

/**
 * Enters players on the boards who were there before. Whoever plays meanwhile is entered by the
 * function that changes the score; twice does no harm.
 */
export const next = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    const state = await ctx.db.query("conversion").unique();
    if (state?.done === true) return true;
    let after = state?.after;
    let done = false;
    let reads = 0;
    while (!done && reads < MAX_READS) {
      const player = await playerAfter(ctx, after);
      if (player === null) {
        done = true;
      } else {
        reads += 1 + (await changePlayer(ctx, player, {}));
        after = player.token;
      }
    }
    if (state === null) await ctx.db.insert("conversion", { after, done });
    else await ctx.db.patch("conversion", state._id, { after, done });
    return done;
  },
});
