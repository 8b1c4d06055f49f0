// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { action, internalMutation, internalQuery, mutation, query } from "./_generated/server";

export const publish = action({
  args: { title: v.string(), text: v.string() },
  handler: async (ctx, { title, text }): Promise<Id<"reports">> => {
    return await ctx.runMutation(internal.reports.add, { title, text, characters: text.length });
  },
});

export const read = action({
  args: { report: v.id("reports") },
  handler: async (ctx, { report }): Promise<string | null> => {
    return await ctx.runQuery(internal.reports.text, { report });
  },
});

export const link = query({
  args: { report: v.id("reports") },
  handler: async (ctx, { report }) => {
    const document = await ctx.db.get("reports", report);
    return document && `data:text/plain;charset=utf-8,${encodeURIComponent(document.text)}`;
  },
});

export const withdraw = mutation({
  args: { report: v.id("reports") },
  handler: async (ctx, { report }) => {
    if ((await ctx.db.get("reports", report)) === null) {
      return false;
    }
    await ctx.db.delete("reports", report);
    return true;
  },
});

export const add = internalMutation({
  args: { title: v.string(), text: v.string(), characters: v.number() },
  handler: async (ctx, fields) => {
    return await ctx.db.insert("reports", fields);
  },
});

export const text = internalQuery({
  args: { report: v.id("reports") },
  handler: async (ctx, { report }): Promise<string | null> => {
    const document = await ctx.db.get("reports", report);
    return document?.text ?? null;
  },
});
