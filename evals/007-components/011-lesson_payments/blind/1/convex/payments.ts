// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { components } from "./_generated/api";
import { internalMutation } from "./_generated/server";
import { HOLD_MS } from "./lib/payments";

/** The purse tells that a hold will end soon: it goes on for as long as its lesson is booked. */
export const onEnding = internalMutation({
  args: { hold: v.string(), reference: v.string(), until: v.number() },
  returns: v.null(),
  handler: async (ctx, { hold }): Promise<null> => {
    const lesson = await ctx.db
      .query("lessons")
      .withIndex("by_hold", (q) => q.eq("hold", hold))
      .unique();
    if (lesson?.state !== "booked") return null;
    const isOpen: boolean = await ctx.runMutation(components.purse.holds.renew, {
      hold,
      until: Date.now() + HOLD_MS,
    });
    if (!isOpen) console.error(`The hold of lesson ${lesson._id} is not open`);
    return null;
  },
});
