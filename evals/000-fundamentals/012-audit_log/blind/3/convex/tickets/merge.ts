// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "../_generated/server";
import { memberActor, record } from "../lib/audit";
import { fail } from "../lib/errors";
import { requireMember } from "../lib/members";
import { patchTicket } from "./write";

/** Merge tickets about the same matter into the first of them. */
export const merge = mutation({
  args: { tickets: v.array(v.id("tickets")) },
  returns: v.null(),
  handler: async (ctx, { tickets: [first, ...others] }) => {
    const actor = memberActor((await requireMember(ctx))._id);
    const target = await ctx.db.get("tickets", first);
    if (others.length === 0) {
      return null;
    }
    if (target === null) {
      throw fail("not_found");
    }
    let { text, merged } = target;
    for (const id of others) {
      const other = await ctx.db.get("tickets", id);
      if (other === null || other._id === first || other.customer !== target.customer) {
        throw fail("not_found");
      }
      text = `${text}\n\n${other.text}`;
      merged += other.merged + 1;
      await ctx.db.delete("tickets", other._id);
      await record(ctx, actor, "tickets", other, null);
    }
    await patchTicket(ctx, actor, first, { text, merged });
    return null;
  },
});
