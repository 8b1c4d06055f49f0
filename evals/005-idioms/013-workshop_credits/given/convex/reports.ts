// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/*
 * The rules of reports
 *
 * - What we owe is all credits that belong to members, on hold or not, by the ends of their lots.
 *   What is on hold of a lot that has ended stands under 0.
 */
import { v } from "convex/values";
import { query } from "./_generated/server";
import { openHolds, usableLots } from "./model/purse";
import { requireStaff } from "./model/session";

/** What we owe, by ends, the soonest first. */
export const owed = query({
  args: {},
  returns: v.array(v.object({ ends: v.number(), credits: v.number() })),
  handler: async (ctx) => {
    await requireStaff(ctx);
    const sums = new Map<number, number>();
    const add = (ends: number, credits: number) => {
      sums.set(ends, (sums.get(ends) ?? 0) + credits);
    };
    for (const member of await ctx.db.query("members").collect()) {
      for (const { ends, left } of await usableLots(ctx, member._id)) add(ends, left);
      for (const { parts } of await openHolds(ctx, member._id))
        for (const { lot: id, credits } of parts) {
          const ends = (await ctx.db.get("lots", id))?.ends ?? 0;
          add(ends > Date.now() ? ends : 0, credits);
        }
    }
    return [...sums].map(([ends, credits]) => ({ ends, credits })).toSorted((a, b) => a.ends - b.ends);
  },
});
