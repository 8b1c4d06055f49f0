// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { paginationOptsValidator } from "convex/server";
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { getMemberOf, requireAdmin, requireMember } from "./model/access";
import { getShift, showShift } from "./model/shifts";

export const list = query({
  args: { clinic: v.id("clinics"), from: v.string(), to: v.string() },
  handler: async (ctx, { clinic, from, to }) => {
    await requireMember(ctx, clinic);
    const shifts = await ctx.db
      .query("shifts")
      .withIndex("by_clinic", (q) => q.eq("clinic", clinic).gte("day", from).lte("day", to))
      .take(500);
    return await Promise.all(shifts.map((shift) => showShift(ctx, shift)));
  },
});

/** One day, page by page, for the screen in the corridor. */
export const onDay = query({
  args: { clinic: v.id("clinics"), day: v.string(), paginationOpts: paginationOptsValidator },
  handler: async (ctx, { clinic, day, paginationOpts }) => {
    await requireMember(ctx, clinic);
    const result = await ctx.db
      .query("shifts")
      .withIndex("by_clinic", (q) => q.eq("clinic", clinic).eq("day", day))
      .paginate(paginationOpts);
    const page = await Promise.all(result.page.map((shift) => showShift(ctx, shift)));
    return { ...result, page };
  },
});

export const get = query({
  args: { shift: v.id("shifts") },
  handler: async (ctx, { shift: id }) => {
    const shift = await getShift(ctx, id);
    await requireMember(ctx, shift.clinic);
    return await showShift(ctx, shift);
  },
});

/** The shifts whose notes have a word. */
export const search = query({
  args: { clinic: v.id("clinics"), text: v.string() },
  handler: async (ctx, { clinic, text }) => {
    await requireMember(ctx, clinic);
    const shifts = await ctx.db
      .query("shifts")
      .withSearchIndex("search_note", (q) => q.search("note", text).eq("clinic", clinic))
      .take(20);
    return await Promise.all(shifts.map((shift) => showShift(ctx, shift)));
  },
});

/** The hours that a member works between two days. */
export const hours = query({
  args: { clinic: v.id("clinics"), member: v.id("members"), from: v.string(), to: v.string() },
  returns: v.number(),
  handler: async (ctx, { clinic, member, from, to }) => {
    await requireMember(ctx, clinic);
    await getMemberOf(ctx, clinic, member);
    const shifts = await ctx.db
      .query("shifts")
      .withIndex("by_member", (q) => q.eq("member", member).gte("day", from).lte("day", to))
      .collect();
    return shifts.reduce((sum, shift) => sum + shift.hours, 0);
  },
});

export const add = mutation({
  args: {
    clinic: v.id("clinics"),
    member: v.id("members"),
    day: v.string(),
    hours: v.number(),
    note: v.string(),
  },
  returns: v.id("shifts"),
  handler: async (ctx, args) => {
    await requireAdmin(ctx, args.clinic);
    await getMemberOf(ctx, args.clinic, args.member);
    return await ctx.db.insert("shifts", { ...args, reminded: false });
  },
});

export const edit = mutation({
  args: { shift: v.id("shifts"), hours: v.optional(v.number()), note: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { shift: id, ...changes }) => {
    const shift = await getShift(ctx, id);
    await requireAdmin(ctx, shift.clinic);
    await ctx.db.patch("shifts", id, changes);
    return null;
  },
});

/** Gives a shift to another member. */
export const give = mutation({
  args: { shift: v.id("shifts"), member: v.id("members") },
  returns: v.null(),
  handler: async (ctx, { shift: id, member }) => {
    const shift = await getShift(ctx, id);
    await requireAdmin(ctx, shift.clinic);
    await getMemberOf(ctx, shift.clinic, member);
    await ctx.db.patch("shifts", id, { member });
    return null;
  },
});

export const remove = mutation({
  args: { clinic: v.id("clinics"), shift: v.id("shifts") },
  returns: v.null(),
  handler: async (ctx, { clinic, shift: id }) => {
    await requireAdmin(ctx, clinic);
    const shift = await getShift(ctx, id);
    if (shift.clinic !== clinic) throw new ConvexError("no such shift");
    await ctx.db.delete("shifts", id);
    return null;
  },
});
