import { v } from "convex/values";
import { mutation, query } from "./_generated/server";

export const add = mutation({
  args: { text: v.string() },
  handler: async (ctx, { text }) => {
    const user = await ctx.auth.getUserIdentity();
    if (!user) throw new Error("Sign in first");
    await ctx.db.insert("notes", { owner: user.tokenIdentifier, text });
  },
});

export const mine = query({
  args: {},
  handler: async (ctx) => {
    const user = await ctx.auth.getUserIdentity();
    if (!user) return [];
    const notes = await ctx.db
      .query("notes")
      .withIndex("by_owner", (q) => q.eq("owner", user.tokenIdentifier))
      .take(100);
    return notes.map(({ text }) => text);
  },
});
