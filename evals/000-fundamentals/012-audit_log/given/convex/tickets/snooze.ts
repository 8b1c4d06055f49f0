// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalMutation, mutation } from "../_generated/server";
import { fail } from "../lib/errors";
import { requireMember } from "../lib/members";

/** Put an open ticket aside until a moment. */
export const until = mutation({
  args: { ticket: v.id("tickets"), at: v.number() },
  returns: v.null(),
  handler: async (ctx, args) => {
    await requireMember(ctx);
    const ticket = await ctx.db.get("tickets", args.ticket);
    if (ticket === null || ticket.state === "closed") {
      throw fail("not_open");
    }
    await ctx.db.patch("tickets", ticket._id, { state: "snoozed", wakesAt: args.at });
    await ctx.scheduler.runAt(args.at, internal.tickets.snooze.wake, { ticket: ticket._id });
    return null;
  },
});

/** Open a ticket again, unless it was closed, or put aside for longer, meanwhile. */
export const wake = internalMutation({
  args: { ticket: v.id("tickets") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const ticket = await ctx.db.get("tickets", args.ticket);
    if (ticket?.state === "snoozed" && (ticket.wakesAt ?? 0) <= Date.now()) {
      await ctx.db.patch("tickets", ticket._id, { state: "open", wakesAt: undefined });
    }
    return null;
  },
});
