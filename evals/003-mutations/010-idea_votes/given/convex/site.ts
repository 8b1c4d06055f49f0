// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";
import { siteFigures } from "./model/figures";

/** For the front page. */
export const figures = query({
  args: {},
  returns: v.object({ ideas: v.number(), votes: v.number() }),
  handler: async (ctx) => await siteFigures(ctx),
});
