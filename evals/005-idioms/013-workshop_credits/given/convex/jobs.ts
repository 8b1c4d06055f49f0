// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { book, tell } from "./model/book";
import { giveBack } from "./model/purse";

export const end = internalMutation({
  args: { lot: v.id("lots") },
  returns: v.null(),
  handler: async (ctx, { lot: id }) => {
    const lot = await ctx.db.get("lots", id);
    if (lot === null || lot.left === 0) return null;
    await ctx.db.patch("lots", id, { left: 0 });
    await book(ctx, lot.member, "expired", -lot.left, lot.ends);
    return null;
  },
});

export const lapse = internalMutation({
  args: { hold: v.id("holds") },
  returns: v.null(),
  handler: async (ctx, { hold: id }) => {
    const hold = await ctx.db.get("holds", id);
    if (hold?.state !== "open") return null;
    await ctx.db.patch("holds", id, { state: "released" });
    await giveBack(ctx, hold.member, hold.parts, hold.lapses);
    return null;
  },
});

export const remind = internalMutation({
  args: { member: v.id("members"), ends: v.number() },
  returns: v.null(),
  handler: async (ctx, { member, ends }) => {
    const lots = await ctx.db
      .query("lots")
      .withIndex("by_member", (q) => q.eq("member", member).eq("ends", ends))
      .collect();
    const left = lots.reduce((sum, lot) => sum + lot.left, 0);
    const told = await ctx.db
      .query("reminders")
      .withIndex("by_member", (q) => q.eq("member", member).eq("ends", ends))
      .unique();
    if (left === 0 || told !== null) return null;
    await ctx.db.insert("reminders", { member, ends });
    await tell(ctx, member, `${left} end soon`);
    return null;
  },
});
