// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import { mutation, query, type MutationCtx } from "../_generated/server";
import { logChange, logCreated, memberActor } from "../audit/log";
import { fail } from "../lib/errors";
import { requireMember } from "../lib/members";
import { priority } from "../schema";

export async function openTicket(
  ctx: MutationCtx,
  ticket: Pick<Doc<"tickets">, "customer" | "subject" | "text" | "priority">,
  actor: string,
): Promise<Id<"tickets">> {
  const id = await ctx.db.insert("tickets", {
    ...ticket,
    state: "open",
    movedAt: Date.now(),
    merged: 0,
  });
  await logCreated(ctx, actor, "tickets", id);
  return id;
}

export const open = mutation({
  args: { customer: v.id("customers"), subject: v.string(), text: v.string(), priority },
  returns: v.id("tickets"),
  handler: async (ctx, args) => {
    const actor = memberActor(await requireMember(ctx));
    return await openTicket(ctx, args, actor);
  },
});

export const listOpen = query({
  args: {},
  returns: v.array(v.object({ _id: v.id("tickets"), subject: v.string(), priority })),
  handler: async (ctx) => {
    await requireMember(ctx);
    const tickets = await ctx.db
      .query("tickets")
      .withIndex("by_state_and_movedAt", (q) => q.eq("state", "open"))
      .take(100);
    return tickets.map((ticket) => ({
      _id: ticket._id,
      subject: ticket.subject,
      priority: ticket.priority,
    }));
  },
});

/** Give a ticket to a member, or to nobody. */
export const assign = mutation({
  args: { ticket: v.id("tickets"), member: v.union(v.null(), v.id("members")) },
  returns: v.null(),
  handler: async (ctx, { ticket, member }) => {
    const actor = memberActor(await requireMember(ctx));
    if (member !== null && (await ctx.db.get("members", member)) === null) {
      throw fail("not_found");
    }
    const change = () => ctx.db.patch("tickets", ticket, { assignee: member ?? undefined });
    await logChange(ctx, actor, "tickets", ticket, change);
    return null;
  },
});

export const setPriority = mutation({
  args: { tickets: v.array(v.id("tickets")), priority },
  returns: v.null(),
  handler: async (ctx, { tickets, priority: given }) => {
    const actor = memberActor(await requireMember(ctx));
    for (const ticket of tickets) {
      const change = () => ctx.db.patch("tickets", ticket, { priority: given });
      await logChange(ctx, actor, "tickets", ticket, change);
    }
    return null;
  },
});

export const close = mutation({
  args: { ticket: v.id("tickets") },
  returns: v.null(),
  handler: async (ctx, { ticket }) => {
    const actor = memberActor(await requireMember(ctx));
    const change = () =>
      ctx.db.patch("tickets", ticket, {
        state: "closed",
        movedAt: Date.now(),
        wakesAt: undefined,
      });
    await logChange(ctx, actor, "tickets", ticket, change);
    return null;
  },
});
