// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { cancelBooking } from "./model/bookings";

/** Somebody may not book any more. What is booked stays. */
export const block = internalMutation({
  args: { person: v.string() },
  returns: v.null(),
  handler: async (ctx, { person }) => {
    const block = await ctx.db
      .query("blocks")
      .withIndex("by_person", (q) => q.eq("person", person))
      .first();
    if (block === null) await ctx.db.insert("blocks", { person });
    return null;
  },
});

/**
 * Forgets somebody, as the law demands: what is not paid is cancelled and deleted, and so is what came
 * to nothing. Paid bookings stay, without the name.
 */
export const forget = internalMutation({
  args: { person: v.string() },
  returns: v.null(),
  handler: async (ctx, { person }) => {
    const entries = await ctx.db
      .query("waiting")
      .withIndex("by_person", (q) => q.eq("person", person))
      .collect();
    for (const { _id } of entries) await ctx.db.delete("waiting", _id);
    const bookings = await ctx.db
      .query("bookings")
      .withIndex("by_person_and_event", (q) => q.eq("person", person))
      .collect();
    for (const booking of bookings) {
      if (booking.state === "paid") {
        await ctx.db.patch("bookings", booking._id, { person: "forgotten" });
        continue;
      }
      if (booking.state === "pending") await cancelBooking(ctx, booking);
      await ctx.db.delete("bookings", booking._id);
    }
    return null;
  },
});
