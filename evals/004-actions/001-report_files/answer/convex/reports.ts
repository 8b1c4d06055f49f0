// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc, Id } from "./_generated/dataModel";
import { action, internalMutation, internalQuery, mutation, query } from "./_generated/server";

export const publish = action({
  args: { title: v.string(), text: v.string() },
  returns: v.id("reports"),
  handler: async (ctx, { title, text }): Promise<Id<"reports">> => {
    const file = await ctx.storage.store(new Blob([text], { type: "text/plain" }));
    return await ctx.runMutation(internal.reports.add, {
      title,
      file,
      characters: text.length,
    });
  },
});

export const read = action({
  args: { report: v.id("reports") },
  returns: v.union(v.string(), v.null()),
  handler: async (ctx, { report }): Promise<string | null> => {
    const document: Doc<"reports"> | null = await ctx.runQuery(internal.reports.get, { report });
    if (document === null) {
      return null;
    }
    const file = await ctx.storage.get(document.file);
    return file === null ? null : await file.text();
  },
});

export const link = query({
  args: { report: v.id("reports") },
  returns: v.union(v.string(), v.null()),
  handler: async (ctx, { report }) => {
    const document = await ctx.db.get("reports", report);
    return document === null ? null : await ctx.storage.getUrl(document.file);
  },
});

export const withdraw = mutation({
  args: { report: v.id("reports") },
  returns: v.boolean(),
  handler: async (ctx, { report }) => {
    const document = await ctx.db.get("reports", report);
    if (document === null) {
      return false;
    }
    await ctx.storage.delete(document.file);
    await ctx.db.delete("reports", report);
    return true;
  },
});

export const add = internalMutation({
  args: { title: v.string(), file: v.id("_storage"), characters: v.number() },
  returns: v.id("reports"),
  handler: async (ctx, fields) => {
    return await ctx.db.insert("reports", fields);
  },
});

export const get = internalQuery({
  args: { report: v.id("reports") },
  handler: async (ctx, { report }) => {
    return await ctx.db.get("reports", report);
  },
});
