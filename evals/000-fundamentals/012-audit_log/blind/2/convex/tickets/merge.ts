// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import { mutation } from "../_generated/server";
import { deleteTicket, memberActor, patchTicket } from "../lib/audit";
import { fail } from "../lib/errors";
import { requireMember } from "../lib/members";

/** Merge tickets about the same matter into the first of them. */
export const merge = mutation({
  args: { tickets: v.array(v.id("tickets")) },
  returns: v.null(),
  handler: async (ctx, { tickets: [first, ...others] }) => {
    const actor = memberActor((await requireMember(ctx))._id);
    const target = await ctx.db.get("tickets", first);
    const named = new Set([first]);
    const gone: Doc<"tickets">[] = [];
    for (const id of others) {
      const other = await ctx.db.get("tickets", id);
      if (target === null || other === null || other.customer !== target.customer) {
        throw fail("not_found");
      }
      if (named.has(id)) {
        throw fail("not_found");
      }
      named.add(id);
      gone.push(other);
    }
    if (target === null || gone.length === 0) {
      return null;
    }
    await patchTicket(ctx, actor, target._id, {
      text: [target, ...gone].map((ticket) => ticket.text).join("\n\n"),
      merged: gone.reduce((sum, ticket) => sum + ticket.merged + 1, target.merged),
    });
    for (const ticket of gone) {
      await deleteTicket(ctx, actor, ticket);
    }
    return null;
  },
});
