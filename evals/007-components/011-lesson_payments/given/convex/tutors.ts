// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { refuse } from "./lib/errors";
import { priceOf } from "./lib/prices";
import { requireUser } from "./lib/session";

/** Makes the user a tutor, or changes their rate; lessons that are booked keep theirs. */
export const setRate = mutation({
  args: { rate: v.number() },
  returns: v.id("tutors"),
  handler: async (ctx, { rate }) => {
    const user = await requireUser(ctx);
    if (!Number.isInteger(rate) || rate < 0) refuse("invalid");
    const tutor = await ctx.db
      .query("tutors")
      .withIndex("by_user", (q) => q.eq("user", user._id))
      .unique();
    if (tutor === null) return await ctx.db.insert("tutors", { user: user._id, rate });
    await ctx.db.patch("tutors", tutor._id, { rate });
    return tutor._id;
  },
});

/** What a lesson of so many minutes costs now, in cents. */
export const quote = query({
  args: { tutor: v.id("tutors"), minutes: v.number() },
  returns: v.number(),
  handler: async (ctx, { tutor: id, minutes }) => {
    const tutor = (await ctx.db.get("tutors", id)) ?? refuse("not_found");
    return priceOf(tutor.rate, minutes);
  },
});
