// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "../_generated/server";
import { log, logChange, memberActor } from "../audit/log";
import { fail } from "../lib/errors";
import { requireMember } from "../lib/members";

/** Merge tickets about the same matter into the first of them. */
export const merge = mutation({
  args: { tickets: v.array(v.id("tickets")) },
  returns: v.null(),
  handler: async (ctx, { tickets: [first, ...others] }) => {
    const actor = memberActor(await requireMember(ctx));
    const before = await ctx.db.get("tickets", first);
    let target = before;
    for (const id of others) {
      const other = await ctx.db.get("tickets", id);
      if (target === null || other === null || other.customer !== target.customer) {
        throw fail("not_found");
      }
      await ctx.db.patch("tickets", target._id, {
        text: `${target.text}\n\n${other.text}`,
        merged: target.merged + other.merged + 1,
      });
      const remove = () => ctx.db.delete("tickets", other._id);
      await logChange(ctx, actor, "tickets", other._id, remove);
      target = await ctx.db.get("tickets", first);
    }
    if (target !== null) {
      await log(ctx, actor, "tickets", before, target, false);
    }
    return null;
  },
});
