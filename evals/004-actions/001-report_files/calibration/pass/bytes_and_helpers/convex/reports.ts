// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { action, mutation, query } from "./_generated/server";

export const publish = action({
  args: { title: v.string(), text: v.string() },
  handler: async (ctx, { title, text }): Promise<Id<"reports">> => {
    const bytes = new TextEncoder().encode(text);
    const file = await ctx.storage.store(new Blob([bytes], { type: "text/plain" }));
    const id: Id<"reports"> = await ctx.runMutation(internal.shelf.put, {
      report: { title, file, characters: text.length },
    });
    return id;
  },
});

export const read = action({
  args: { report: v.id("reports") },
  handler: async (ctx, args): Promise<string | null> => {
    const file: Id<"_storage"> | null = await ctx.runQuery(internal.shelf.fileOf, args);
    const blob = file && (await ctx.storage.get(file));
    if (!blob) return null;
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await blob.arrayBuffer());
  },
});

export const link = query({
  args: { report: v.id("reports") },
  handler: async (ctx, args) => {
    const report = await ctx.db.get("reports", args.report);
    if (!report) return null;
    return ctx.storage.getUrl(report.file);
  },
});

export const withdraw = mutation({
  args: { report: v.id("reports") },
  handler: async (ctx, args) => {
    const report = await ctx.db.get("reports", args.report);
    if (!report) return false;
    await Promise.all([ctx.db.delete("reports", report._id), ctx.storage.delete(report.file)]);
    return true;
  },
});
