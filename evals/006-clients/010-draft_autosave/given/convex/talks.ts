// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

import { mutation, query } from "./_generated/server";
import { changeableTalk, changeTalk, refuse } from "./lib/rules";
import { LONGEST, someTexts, tidy, type Field } from "./lib/texts";

/** What the list of a conference's talks shows, in the order in which they were proposed. */
export const list = query({
  args: { conference: v.id("conferences") },
  handler: async (ctx, { conference }) => {
    const talks = await ctx.db
      .query("talks")
      .withIndex("by_conference", (q) => q.eq("conference", conference))
      .take(300);
    return talks.map(({ _id, title, room }) => ({ _id, title, room: room ?? null }));
  },
});

/** A talk with all of its texts; null if it was withdrawn. */
export const get = query({
  args: { talk: v.id("talks") },
  handler: async (ctx, { talk }) => await ctx.db.get("talks", talk),
});

export const propose = mutation({
  args: { conference: v.id("conferences"), title: v.string() },
  returns: v.id("talks"),
  handler: async (ctx, { conference, title }) => {
    const texts = { title: tidy(title), abstract: "", bio: "" };
    return await ctx.db.insert("talks", { conference, ...texts, version: 1 });
  },
});

/**
 * Stores texts of a talk, all of them or none; returns the talk's new version. `base` is the version
 * that the caller has seen: if the talk was changed since, the call is refused as "stale".
 */
export const save = mutation({
  args: { talk: v.id("talks"), base: v.number(), texts: someTexts },
  returns: v.number(),
  handler: async (ctx, { talk: id, base, texts }) => {
    const talk = await changeableTalk(ctx, id);
    if (talk.version !== base) return refuse("stale");
    const stored: typeof texts = {};
    for (const [field, text] of Object.entries(texts) as [Field, string][]) {
      stored[field] = tidy(text);
      if (stored[field].length > LONGEST[field]) return refuse("long");
    }
    return await changeTalk(ctx, talk, stored);
  },
});

/** Gives a talk a room. */
export const assign = mutation({
  args: { talk: v.id("talks"), room: v.string() },
  returns: v.null(),
  handler: async (ctx, { talk, room }) => {
    await changeTalk(ctx, await changeableTalk(ctx, talk), { room });
    return null;
  },
});

export const withdraw = mutation({
  args: { talk: v.id("talks") },
  returns: v.null(),
  handler: async (ctx, { talk }) => {
    const { _id } = await changeableTalk(ctx, talk);
    await ctx.db.delete("talks", _id);
    return null;
  },
});
