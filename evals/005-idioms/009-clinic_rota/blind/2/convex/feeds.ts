// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internalQuery, mutation } from "./_generated/server";
import { findMember, isOwn, requireMember } from "./model/access";
import { showShift } from "./model/shifts";

/** Members make links for their calendars: /rota.ics?clinic=…&secret=… */
export const create = mutation({
  args: { clinic: v.id("clinics") },
  returns: v.object({ feed: v.id("feeds"), secret: v.string() }),
  handler: async (ctx, { clinic }) => {
    const member = await requireMember(ctx, clinic);
    const secret = crypto.randomUUID();
    return { feed: await ctx.db.insert("feeds", { member: member._id, secret }), secret };
  },
});

/** Members revoke their own links. */
export const revoke = mutation({
  args: { feed: v.id("feeds") },
  returns: v.null(),
  handler: async (ctx, { feed: id }) => {
    const feed = await ctx.db.get("feeds", id);
    if (feed === null || !(await isOwn(ctx, feed.member))) throw new ConvexError("no such link");
    await ctx.db.delete("feeds", id);
    return null;
  },
});

/** The rota for a calendar; null if the link does not hold. */
export const rota = internalQuery({
  args: { clinic: v.string(), secret: v.string() },
  handler: async (ctx, args) => {
    const clinic = ctx.db.normalizeId("clinics", args.clinic);
    const feed = await ctx.db
      .query("feeds")
      .withIndex("by_secret", (q) => q.eq("secret", args.secret))
      .unique();
    if (clinic === null || feed === null) return null;
    // The link is for the clinic where it was made, while its maker is a member there.
    const maker = await ctx.db.get("members", feed.member);
    if (maker?.clinic !== clinic) return null;
    if ((await findMember(ctx, clinic, maker.token)) === null) return null;
    const shifts = await ctx.db
      .query("shifts")
      .withIndex("by_clinic", (q) => q.eq("clinic", clinic))
      .take(500);
    return await Promise.all(shifts.map((shift) => showShift(ctx, shift)));
  },
});

/** What the tablet at the entrance shows; null without the clinic's key. */
export const today = internalQuery({
  args: { clinic: v.string(), key: v.string(), day: v.string() },
  handler: async (ctx, { key, day, ...args }) => {
    const id = ctx.db.normalizeId("clinics", args.clinic);
    const clinic = id === null ? null : await ctx.db.get("clinics", id);
    if (clinic === null || key === "" || clinic.kioskKey !== key) return null;
    const shifts = await ctx.db
      .query("shifts")
      .withIndex("by_clinic", (q) => q.eq("clinic", clinic._id).eq("day", day))
      .take(100);
    return await Promise.all(shifts.map((shift) => showShift(ctx, shift)));
  },
});
