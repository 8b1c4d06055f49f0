// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { cancelBooking } from "./model/bookings";
import { isOver } from "./model/ends";

/** Ends a booking whose end has come: it may have been moved, or paid, since this was scheduled. */
export const lapse = internalMutation({
  args: { booking: v.id("bookings") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const booking = await ctx.db.get("bookings", args.booking);
    if (booking !== null && isOver(booking)) await cancelBooking(ctx, booking, "lapsed");
    return null;
  },
});
