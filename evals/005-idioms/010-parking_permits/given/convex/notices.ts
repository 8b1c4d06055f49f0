// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/*
 * The rules of notices
 *
 * - Whoever gets an offer gets the notice "offer" at that moment.
 * - At noon of a permit's last day its holder gets "ends soon", if that noon is still to come
 *   when it is bought; at its end "ended". An extended permit gives them for its new end alone,
 *   except those that were given before the extension. A cancelled permit gives none any more.
 */
import { v } from "convex/values";
import { query } from "./_generated/server";
import { requirePerson } from "./model/session";
import { noticeKind } from "./schema";

/** The caller's notices, newest first. */
export const mine = query({
  args: {},
  returns: v.array(v.object({ zone: v.id("zones"), kind: noticeKind })),
  handler: async (ctx) => {
    const owner = await requirePerson(ctx);
    const notices = await ctx.db
      .query("notices")
      .withIndex("by_owner", (q) => q.eq("owner", owner))
      .order("desc")
      .take(100);
    return notices.map(({ zone, kind }) => ({ zone, kind }));
  },
});
