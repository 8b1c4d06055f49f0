// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalMutation, mutation } from "../_generated/server";
import { memberActor } from "../lib/audit";
import { fail } from "../lib/errors";
import { requireMember } from "../lib/members";
import { patchTicket } from "./write";

/** Put an open ticket aside until a moment. */
export const until = mutation({
  args: { ticket: v.id("tickets"), at: v.number() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const member = (await requireMember(ctx))._id;
    const ticket = await ctx.db.get("tickets", args.ticket);
    if (ticket === null || ticket.state === "closed") {
      throw fail("not_open");
    }
    await patchTicket(ctx, memberActor(member), ticket._id, { state: "snoozed", wakesAt: args.at });
    await ctx.scheduler.runAt(args.at, internal.tickets.snooze.wake, {
      ticket: ticket._id,
      member,
    });
    return null;
  },
});

/** Open a ticket again, unless it was closed, or put aside for longer, meanwhile. */
export const wake = internalMutation({
  // Who put the ticket aside; not known of what was scheduled before there was an audit log.
  args: { ticket: v.id("tickets"), member: v.optional(v.id("members")) },
  returns: v.null(),
  handler: async (ctx, args) => {
    const ticket = await ctx.db.get("tickets", args.ticket);
    if (ticket?.state === "snoozed" && (ticket.wakesAt ?? 0) <= Date.now()) {
      const actor = args.member === undefined ? "job:snooze" : memberActor(args.member);
      await patchTicket(ctx, actor, ticket._id, { state: "open", wakesAt: undefined });
    }
    return null;
  },
});
