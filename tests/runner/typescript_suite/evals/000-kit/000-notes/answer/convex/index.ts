import { v } from "convex/values";
import { action, mutation, query } from "./_generated/server";

export const add = mutation({
  args: { text: v.string() },
  handler: (ctx, { text }) => ctx.db.insert("notes", { text }),
});

export const list = query({
  args: {},
  handler: (ctx) => ctx.db.query("notes").collect(),
});

export const who = query({
  args: {},
  handler: async (ctx) => (await ctx.auth.getUserIdentity())?.subject ?? null,
});

export const look = action({
  args: { url: v.string() },
  handler: async (_ctx, { url }) => {
    const response = await fetch(url);
    const body = await response.json();
    return body.slideshow.slides[0].title as string;
  },
});
