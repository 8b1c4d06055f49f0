// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { isOwn, requireAdmin, requireMember, requireToken } from "./model/access";

/** Members report their own absences. */
export const report = mutation({
  args: { clinic: v.id("clinics"), day: v.string(), reason: v.string() },
  returns: v.id("absences"),
  handler: async (ctx, { clinic, day, reason }) => {
    const member = await requireMember(ctx, clinic);
    return await ctx.db.insert("absences", { member: member._id, day, reason });
  },
});

/** Members withdraw their own absences, and admins anybody's. */
export const withdraw = mutation({
  args: { absence: v.id("absences") },
  returns: v.null(),
  handler: async (ctx, { absence: id }) => {
    await requireToken(ctx);
    const absence = await ctx.db.get("absences", id);
    const member = absence && (await ctx.db.get("members", absence.member));
    if (member === null) throw new ConvexError("no such absence");
    if (!(await isOwn(ctx, member._id))) await requireAdmin(ctx, member.clinic);
    await ctx.db.delete("absences", id);
    return null;
  },
});

/** Who of a clinic is absent on a day. */
export const onDay = query({
  args: { clinic: v.id("clinics"), day: v.string() },
  handler: async (ctx, { clinic, day }) => {
    await requireMember(ctx, clinic);
    const absences = await ctx.db
      .query("absences")
      .withIndex("by_day", (q) => q.eq("day", day))
      .collect();
    const rows = await Promise.all(
      absences.map(async ({ _id, member: id, reason }) => {
        const member = await ctx.db.get("members", id);
        return member?.clinic === clinic ? [{ _id, name: member.name, reason }] : [];
      }),
    );
    return rows.flat();
  },
});
