// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "../_generated/server";
import { requireStaff } from "../lib/session";
import { boardKey, votes } from "../model/counts";

/** The votes on every board, the most first. */
export const boards = query({
  args: {},
  returns: v.array(v.object({ slug: v.string(), votes: v.number() })),
  handler: async (ctx) => {
    await requireStaff(ctx);
    const all = await ctx.db.query("boards").take(50);
    const rows = await Promise.all(
      all.map(async ({ _id, slug }) => ({ slug, votes: await votes.count(ctx, boardKey(_id)) })),
    );
    return rows.sort((a, b) => b.votes - a.votes);
  },
});
