// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { isBelow, requireRole } from "./guard";
import { role } from "./schema";

export const latest = query({
  args: {},
  handler: async (ctx) => {
    await requireRole(ctx, "listener");
    const contacts = await ctx.db.query("contacts").order("desc").take(20);
    return contacts.map(({ _id, station, mhz }) => ({ _id, station, mhz }));
  },
});

export const enter = mutation({
  args: { station: v.string(), mhz: v.number() },
  handler: async (ctx, args) => {
    const member = await requireRole(ctx, "operator");
    return await ctx.db.insert("contacts", { ...args, by: member._id });
  },
});

export const strike = mutation({
  args: { contact: v.id("contacts") },
  handler: async (ctx, args) => {
    const member = await requireRole(ctx, "operator");
    const contact = await ctx.db.get("contacts", args.contact);
    if (contact === null) {
      throw new ConvexError({ code: "not_found" });
    }
    if (contact.by !== member._id && isBelow(member.role, "steward")) {
      throw new ConvexError({ code: "forbidden", needs: "steward" });
    }
    await ctx.db.delete("contacts", args.contact);
    return null;
  },
});

export const appoint = mutation({
  args: { member: v.id("members"), role },
  handler: async (ctx, args) => {
    const steward = await requireRole(ctx, "steward");
    if ((await ctx.db.get("members", args.member)) === null) {
      throw new ConvexError({ code: "not_found" });
    }
    if (args.member === steward._id && isBelow(args.role, "steward")) {
      throw new ConvexError({ code: "last_steward" });
    }
    await ctx.db.patch("members", args.member, { role: args.role });
    return null;
  },
});
