// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "../_generated/server";
import { refuse } from "../lib/errors";
import { requireStaff } from "../lib/session";
import { changeCredit } from "../model/accounts";
import { currentRider } from "../model/merged";

/** An account as the help desk sees it, with its newest entries. */
export const account = query({
  args: { rider: v.id("riders") },
  handler: async (ctx, { rider: named }) => {
    await requireStaff(ctx);
    const rider = (await currentRider(ctx, named)) ?? refuse("not_found");
    const { _id, name, email, credit } = rider;
    const entries = await ctx.db
      .query("entries")
      .withIndex("by_rider", (q) => q.eq("rider", _id))
      .order("desc")
      .take(50);
    const shown = entries.map(({ amount, text }) => ({ amount, text }));
    return { id: _id, name, email, credit, entries: shown };
  },
});

/** Gives or takes credit by hand. */
export const adjust = mutation({
  args: { rider: v.id("riders"), amount: v.number(), text: v.string() },
  returns: v.null(),
  handler: async (ctx, { rider, amount, text }) => {
    await requireStaff(ctx);
    if (!Number.isInteger(amount)) refuse("invalid");
    await changeCredit(ctx, rider, amount, text);
    return null;
  },
});
