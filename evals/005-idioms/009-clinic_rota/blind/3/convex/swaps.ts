// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { getMemberOf, isOwn, requireMember } from "./model/access";
import { getShift, showShift } from "./model/shifts";

// Members arrange swaps among themselves: they give their own shifts away, and answer what they are
// offered. No admin is needed.

export const offer = mutation({
  args: { shift: v.id("shifts"), to: v.id("members") },
  returns: v.id("swaps"),
  handler: async (ctx, { shift: id, to }) => {
    const shift = await getShift(ctx, id);
    const caller = await requireMember(ctx, shift.clinic);
    if (shift.member !== caller._id) throw new ConvexError("not your shift");
    await getMemberOf(ctx, shift.clinic, to);
    return await ctx.db.insert("swaps", { shift: id, to, state: "open" });
  },
});

export const answer = mutation({
  args: { swap: v.id("swaps"), shift: v.id("shifts"), accept: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { swap: id, shift, accept }) => {
    const swap = await ctx.db.get("swaps", id);
    if (swap === null || !(await isOwn(ctx, swap.to))) throw new ConvexError("no such offer");
    if (swap.shift !== shift) throw new ConvexError("no such offer");
    if (swap.state !== "open") throw new ConvexError("answered before");
    await ctx.db.patch("swaps", id, { state: accept ? "accepted" : "declined" });
    if (accept) {
      const { clinic } = await getShift(ctx, shift);
      await getMemberOf(ctx, clinic, swap.to);
      await ctx.db.patch("shifts", shift, { member: swap.to });
    }
    return null;
  },
});

/** What a member is offered; colleagues may look, too. */
export const offered = query({
  args: { member: v.id("members") },
  handler: async (ctx, { member: id }) => {
    const member = await ctx.db.get("members", id);
    if (member === null) throw new ConvexError("no such member");
    await requireMember(ctx, member.clinic);
    const swaps = await ctx.db
      .query("swaps")
      .withIndex("by_to", (q) => q.eq("to", id).eq("state", "open"))
      .take(50);
    const shown = await Promise.all(
      swaps.map(async ({ _id, shift: offeredShift }) => {
        const shift = await getShift(ctx, offeredShift);
        // Members of other clinics could once be offered shifts.
        if (shift.clinic !== member.clinic) return [];
        return [{ _id, shift: await showShift(ctx, shift) }];
      }),
    );
    return shown.flat();
  },
});
