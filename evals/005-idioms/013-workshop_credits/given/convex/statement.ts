// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/*
 * The rules of months
 *
 * - A month's sums are those of the entries of that month (UTC), by kind, all as positive
 *   numbers. What expires at the midnight with which a month begins belongs to that month.
 */
import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { query } from "./_generated/server";
import { requireMember } from "./model/session";
import { entryKind } from "./schema";

/** The caller's entries, newest first, page by page. */
export const page = query({
  args: { paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(
    v.object({ kind: entryKind, credits: v.number(), at: v.number(), balance: v.number() }),
  ),
  handler: async (ctx, { paginationOpts }) => {
    const { _id: member } = await requireMember(ctx);
    const result = await ctx.db
      .query("entries")
      .withIndex("by_member", (q) => q.eq("member", member))
      .order("desc")
      .paginate(paginationOpts);
    const page = result.page.map(({ kind, credits, at, balance }) => ({
      kind,
      credits,
      at,
      balance,
    }));
    return { ...result, page };
  },
});

/** The caller's sums of a month, which is given such as "2027-03". */
export const month = query({
  args: { month: v.string() },
  returns: v.object({
    granted: v.number(),
    spent: v.number(),
    refunded: v.number(),
    sent: v.number(),
    received: v.number(),
    expired: v.number(),
    withdrawn: v.number(),
  }),
  handler: async (ctx, { month }) => {
    const { _id: member } = await requireMember(ctx);
    const first = new Date(`${month}-01T00:00:00Z`);
    const next = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 1);
    const sums = {
      granted: 0,
      spent: 0,
      refunded: 0,
      sent: 0,
      received: 0,
      expired: 0,
      withdrawn: 0,
    };
    const entries = ctx.db
      .query("entries")
      .withIndex("by_member", (q) =>
        q.eq("member", member).gte("at", first.getTime()).lt("at", next),
      );
    for await (const { kind, credits } of entries) sums[kind] += Math.abs(credits);
    return sums;
  },
});
