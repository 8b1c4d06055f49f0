// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { internalMutation, type MutationCtx } from "./_generated/server";
import { cancelBooking, findObstacle } from "./model/bookings";
import { isOver } from "./model/ends";
import { openEvent } from "./model/events";
import { payBack } from "./model/money";
import { freeSeats, takeSeats } from "./model/seats";

/** Whether a booking can be paid: it is pending, or lapsed and could be made again, which is done. */
async function canTake(ctx: MutationCtx, booking: Doc<"bookings">): Promise<boolean> {
  if (booking.state === "pending" && !isOver(booking)) return true;
  if (booking.state === "pending") await cancelBooking(ctx, booking, "lapsed");
  else if (booking.state !== "lapsed") return false;
  try {
    const event = await openEvent(ctx, booking.event);
    const obstacle = await findObstacle(ctx, event._id, booking.person, booking.seats.length);
    if (obstacle !== null) return false;
    const seats = await freeSeats(ctx, event, booking.seats);
    await takeSeats(ctx, event._id, seats, booking._id);
    return true;
  } catch (error) {
    if (error instanceof ConvexError) return false;
    throw error;
  }
}

/**
 * The provider has the money for a booking. It tells us so until we answer, so more than once, and
 * sometimes only after hours. Money that no booking can take goes back.
 */
export const confirm = internalMutation({
  args: { payment: v.string(), booking: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const former = await ctx.db
      .query("payments")
      .withIndex("by_payment", (q) => q.eq("payment", args.payment))
      .first();
    if (former !== null) return null;
    const _id = await ctx.db.insert("payments", { ...args, refunded: false });
    const id = ctx.db.normalizeId("bookings", args.booking);
    const booking = id === null ? null : await ctx.db.get("bookings", id);
    if (booking !== null && (await canTake(ctx, booking))) {
      await ctx.db.patch("bookings", booking._id, { state: "paid", changedAt: Date.now() });
      return null;
    }
    const payment = await ctx.db.get("payments", _id);
    if (payment !== null) await payBack(ctx, payment);
    return null;
  },
});
