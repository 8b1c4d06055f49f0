// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/*
 * The rules of notices
 *
 * - 48 hours before the end of lots, their holder gets "N end soon": how many credits are left in
 *   all lots of that end and are not on hold at that moment. It is one notice for each end, and
 *   none where nothing is left, or where that moment had come when the lot did.
 * - A hold or a transfer that takes what is available from 10 or more to less than 10 gives the
 *   notice "low".
 * - A hold for which too few credits are available gives the notice "missing N".
 */
import { v } from "convex/values";
import { query } from "./_generated/server";
import { requireMember } from "./model/session";

/** The caller's notices, newest first. */
export const mine = query({
  args: {},
  returns: v.array(v.string()),
  handler: async (ctx) => {
    const { _id: member } = await requireMember(ctx);
    const notices = await ctx.db
      .query("notices")
      .withIndex("by_member", (q) => q.eq("member", member))
      .order("desc")
      .take(200);
    return notices.map(({ text }) => text);
  },
});
