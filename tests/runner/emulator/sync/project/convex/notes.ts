import { paginationOptsValidator } from "convex/server";
import { ConvexError, v } from "convex/values";

import { internal } from "./_generated/api";
import { action, internalMutation, mutation, query } from "./_generated/server";

export const list = query({
  args: { box: v.string() },
  handler: async (ctx, { box }) =>
    (await ctx.db.query("notes").withIndex("by_box", (q) => q.eq("box", box)).collect()).map(
      (note) => note.body,
    ),
});

export const page = query({
  args: { box: v.string(), paginationOpts: paginationOptsValidator },
  handler: async (ctx, { box, paginationOpts }) =>
    await ctx.db
      .query("notes")
      .withIndex("by_box", (q) => q.eq("box", box))
      .order("desc")
      .paginate(paginationOpts),
});

export const fail = query({
  args: {},
  handler: async () => {
    throw new ConvexError({ code: 7n });
  },
});

export const whoami = query({
  args: {},
  handler: async (ctx) => (await ctx.auth.getUserIdentity())?.subject ?? null,
});

export const greeting = query({
  args: {},
  handler: async () => process.env.GREETING ?? null,
});

export const add = mutation({
  args: { box: v.string(), body: v.string() },
  handler: async (ctx, args) => {
    console.log("adding", args.body);
    if (args.body === "") throw new ConvexError({ code: "empty" });
    await ctx.db.insert("notes", args);
    return args.body.length;
  },
});

export const clear = mutation({
  args: { box: v.string() },
  handler: async (ctx, { box }) => {
    const notes = ctx.db.query("notes").withIndex("by_box", (q) => q.eq("box", box));
    for (const note of await notes.collect()) await ctx.db.delete(note._id);
  },
});

export const addLater = mutation({
  args: { box: v.string(), body: v.string() },
  handler: async (ctx, args) => {
    await ctx.scheduler.runAfter(0, internal.notes.addScheduled, args);
  },
});

export const addScheduled = internalMutation({
  args: { box: v.string(), body: v.string() },
  handler: async (ctx, args) => {
    await ctx.db.insert("notes", args);
  },
});

export const echo = action({
  args: { value: v.any() },
  handler: async (_ctx, { value }) => value,
});
