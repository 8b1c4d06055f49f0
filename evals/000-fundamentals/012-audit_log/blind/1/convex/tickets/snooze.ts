// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalMutation, mutation } from "../_generated/server";
import { logChange, memberActor } from "../audit/log";
import { fail } from "../lib/errors";
import { requireMember } from "../lib/members";

/** Put an open ticket aside until a moment. */
export const until = mutation({
  args: { ticket: v.id("tickets"), at: v.number() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const actor = memberActor(await requireMember(ctx));
    const ticket = await ctx.db.get("tickets", args.ticket);
    if (ticket === null || ticket.state === "closed") {
      throw fail("not_open");
    }
    const change = () =>
      ctx.db.patch("tickets", ticket._id, { state: "snoozed", wakesAt: args.at });
    await logChange(ctx, actor, "tickets", ticket._id, change);
    const wake = { ticket: ticket._id, actor };
    await ctx.scheduler.runAt(args.at, internal.tickets.snooze.wake, wake);
    return null;
  },
});

/**
 * Open a ticket again, unless it was closed, or put aside for longer, meanwhile. What was scheduled
 * before there was a log does not tell by whom.
 */
export const wake = internalMutation({
  args: { ticket: v.id("tickets"), actor: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, args) => {
    const ticket = await ctx.db.get("tickets", args.ticket);
    if (ticket?.state === "snoozed" && (ticket.wakesAt ?? 0) <= Date.now()) {
      const change = () =>
        ctx.db.patch("tickets", ticket._id, { state: "open", wakesAt: undefined });
      await logChange(ctx, args.actor ?? "job:snooze", "tickets", ticket._id, change);
    }
    return null;
  },
});
