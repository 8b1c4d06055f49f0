// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/*
 * The rules of transfers
 *
 * - Members send credits to a member, who is given by name ("no such member"), and not to
 *   themselves ("to yourself"): a whole number, at least one ("bad credits"), no more than are
 *   available ("not enough").
 * - What is used first is sent, and keeps its ends: the receiver gets one lot for each end.
 * - Nobody sends more than 100 credits on one day (UTC) ("too much today").
 * - A transfer has a key of its sender. A second call of this sender with the same key does
 *   nothing, whatever else it says, and returns what the first one did; a refused call does not
 *   use its key up.
 */
import { v } from "convex/values";
import { mutation } from "./_generated/server";
import { book } from "./model/book";
import { addLot, take } from "./model/purse";
import { findByName, refuse, requireMember } from "./model/session";
import { checkCredits, startOfDay } from "./model/time";

const MOST_A_DAY = 100;

/** Sends credits. Returns how many were sent. */
export const send = mutation({
  args: { to: v.string(), credits: v.number(), key: v.string() },
  returns: v.number(),
  handler: async (ctx, { to, credits, key }) => {
    const { _id: from } = await requireMember(ctx);
    const known = await ctx.db
      .query("transfers")
      .withIndex("by_key", (q) => q.eq("from", from).eq("key", key))
      .unique();
    if (known !== null) return known.credits;
    if (!checkCredits(credits)) refuse("bad credits");
    const receiver = (await findByName(ctx, to)) ?? refuse("no such member");
    if (receiver._id === from) refuse("to yourself");
    const now = Date.now();
    const today = await ctx.db
      .query("transfers")
      .withIndex("by_time", (q) => q.eq("from", from).gte("at", startOfDay(now)))
      .collect();
    const sent = today.reduce((sum, transfer) => sum + transfer.credits, 0);
    if (sent + credits > MOST_A_DAY) refuse("too much today");
    const parts = (await take(ctx, from, credits)) ?? refuse("not enough");
    const byEnd = new Map<number, number>();
    for (const part of parts) byEnd.set(part.ends, (byEnd.get(part.ends) ?? 0) + part.credits);
    for (const [ends, sum] of byEnd) await addLot(ctx, receiver._id, sum, ends);
    await book(ctx, from, "sent", -credits, now);
    await book(ctx, receiver._id, "received", credits, now);
    await ctx.db.insert("transfers", { from, key, at: now, credits });
    return credits;
  },
});
