// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { requireAdmin, requireMember, requireToken } from "./model/access";

/** Open to everybody who is signed in: whoever makes a clinic is its first admin. */
export const create = mutation({
  args: { name: v.string(), code: v.string(), kioskKey: v.string(), own: v.string() },
  returns: v.id("clinics"),
  handler: async (ctx, { own, ...clinic }) => {
    const token = await requireToken(ctx);
    const same = ctx.db.query("clinics").withIndex("by_code", (q) => q.eq("code", clinic.code));
    if ((await same.first()) !== null) throw new ConvexError("code taken");
    const id = await ctx.db.insert("clinics", clinic);
    await ctx.db.insert("members", { clinic: id, token, name: own, role: "admin" });
    return id;
  },
});

/** Open to everybody who is signed in and knows the code. */
export const join = mutation({
  args: { code: v.string(), name: v.string() },
  returns: v.id("clinics"),
  handler: async (ctx, { code, name }) => {
    const token = await requireToken(ctx);
    const clinic = await ctx.db
      .query("clinics")
      .withIndex("by_code", (q) => q.eq("code", code))
      .unique();
    if (clinic === null) throw new ConvexError("no such code");
    const rows = await ctx.db
      .query("members")
      .withIndex("by_clinic", (q) => q.eq("clinic", clinic._id).eq("token", token))
      .collect();
    if (rows.every((row) => row.leftAt !== undefined))
      await ctx.db.insert("members", { clinic: clinic._id, token, name, role: "member" });
    return clinic._id;
  },
});

export const get = query({
  args: { clinic: v.id("clinics") },
  handler: async (ctx, { clinic }) => {
    await requireMember(ctx, clinic);
    return await ctx.db.get("clinics", clinic);
  },
});

export const rename = mutation({
  args: { clinic: v.id("clinics"), name: v.string() },
  returns: v.null(),
  handler: async (ctx, { clinic, name }) => {
    await requireAdmin(ctx, clinic);
    await ctx.db.patch("clinics", clinic, { name });
    return null;
  },
});

export const setCode = mutation({
  args: { clinic: v.id("clinics"), code: v.string() },
  returns: v.null(),
  handler: async (ctx, { clinic, code }) => {
    await requireAdmin(ctx, clinic);
    // With the code of another clinic, nobody could join that one any more.
    const same = await ctx.db
      .query("clinics")
      .withIndex("by_code", (q) => q.eq("code", code))
      .take(2);
    if (same.some(({ _id }) => _id !== clinic)) throw new ConvexError("code taken");
    await ctx.db.patch("clinics", clinic, { code });
    return null;
  },
});
