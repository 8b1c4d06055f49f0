// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { requireAdmin, requireMember, requireToken, requireWithin } from "./model/access";

export const list = query({
  args: { clinic: v.id("clinics") },
  handler: async (ctx, { clinic }) => {
    await requireMember(ctx, clinic);
    const members = await ctx.db
      .query("members")
      .withIndex("by_clinic", (q) => q.eq("clinic", clinic))
      .collect();
    return members.map(({ _id, name, role, leftAt }) => ({ _id, name, role, left: leftAt !== undefined }));
  },
});

export const profile = query({
  args: { member: v.id("members") },
  handler: async (ctx, { member: id }) => {
    await requireToken(ctx);
    const member = await ctx.db.get("members", id);
    if (member === null) throw new ConvexError("no such member");
    await requireMember(ctx, member.clinic);
    const shifts = await ctx.db
      .query("shifts")
      .withIndex("by_member", (q) => q.eq("member", id))
      .take(20);
    const days = shifts
      .filter((shift) => shift.clinic === member.clinic)
      .map((shift) => shift.day);
    return { name: member.name, role: member.role, days };
  },
});

export const setRole = mutation({
  args: {
    clinic: v.id("clinics"),
    member: v.id("members"),
    role: v.union(v.literal("admin"), v.literal("member")),
  },
  returns: v.null(),
  handler: async (ctx, { clinic, member, role }) => {
    await requireAdmin(ctx, clinic);
    await requireWithin(ctx, clinic, member);
    await ctx.db.patch("members", member, { role });
    return null;
  },
});

/** Members leave by themselves, and admins dismiss others. */
export const leave = mutation({
  args: { member: v.id("members") },
  returns: v.null(),
  handler: async (ctx, { member: id }) => {
    await requireToken(ctx);
    const member = await ctx.db.get("members", id);
    if (member === null) throw new ConvexError("no such member");
    const caller = await requireMember(ctx, member.clinic);
    if (caller._id !== id) await requireAdmin(ctx, member.clinic);
    await ctx.db.patch("members", id, { leftAt: Date.now() });
    return null;
  },
});

export const rename = mutation({
  args: { member: v.id("members"), name: v.string() },
  returns: v.null(),
  handler: async (ctx, { member: id, name }) => {
    await requireToken(ctx);
    const member = await ctx.db.get("members", id);
    if (member === null) throw new ConvexError("no such member");
    await requireAdmin(ctx, member.clinic);
    await ctx.db.patch("members", id, { name });
    return null;
  },
});
