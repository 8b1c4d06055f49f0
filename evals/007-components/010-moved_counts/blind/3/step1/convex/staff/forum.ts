// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "../_generated/server";
import { refuse } from "../lib/errors";
import { requireStaff } from "../lib/session";
import { boardKey, votes } from "../model/counts";
import { getIdea } from "../model/ideas";

/** Adds the votes that an idea had in our old forum. Nobody knows any more whose they were. */
export const addVotes = mutation({
  args: { idea: v.id("ideas"), count: v.number() },
  returns: v.null(),
  handler: async (ctx, { idea: id, count }) => {
    await requireStaff(ctx);
    if (!Number.isInteger(count) || count < 1) refuse("invalid");
    const { board } = await getIdea(ctx, id);
    await votes.add(ctx, id, count);
    await votes.add(ctx, boardKey(board), count);
    return null;
  },
});
