// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { requireAdmin, requireMember } from "./model/access";

export const uploadUrl = mutation({
  args: { clinic: v.id("clinics") },
  returns: v.string(),
  handler: async (ctx, { clinic }) => {
    await requireAdmin(ctx, clinic);
    return await ctx.storage.generateUploadUrl();
  },
});

export const add = mutation({
  args: { clinic: v.id("clinics"), title: v.string(), file: v.id("_storage") },
  returns: v.id("papers"),
  handler: async (ctx, paper) => {
    await requireAdmin(ctx, paper.clinic);
    if ((await ctx.db.system.get("_storage", paper.file)) === null)
      throw new ConvexError("no such file");
    // Whoever names a file of another clinic would get its address.
    const papers = ctx.db.query("papers").withIndex("by_file", (q) => q.eq("file", paper.file));
    for (const { clinic } of await papers.collect())
      if (clinic !== paper.clinic) throw new ConvexError("no such file");
    return await ctx.db.insert("papers", paper);
  },
});

export const list = query({
  args: { clinic: v.id("clinics") },
  handler: async (ctx, { clinic }) => {
    await requireMember(ctx, clinic);
    const papers = await ctx.db
      .query("papers")
      .withIndex("by_clinic", (q) => q.eq("clinic", clinic))
      .take(100);
    return papers.map(({ _id, title, file }) => ({ _id, title, file }));
  },
});

/** The address of a paper's file. */
export const link = query({
  args: { file: v.id("_storage") },
  returns: v.union(v.string(), v.null()),
  handler: async (ctx, { file }) => {
    const paper = await ctx.db
      .query("papers")
      .withIndex("by_file", (q) => q.eq("file", file))
      .first();
    if (paper === null) throw new ConvexError("no such file");
    await requireMember(ctx, paper.clinic);
    return await ctx.storage.getUrl(file);
  },
});

export const remove = mutation({
  args: { clinic: v.id("clinics"), paper: v.id("papers") },
  returns: v.null(),
  handler: async (ctx, { clinic, paper: id }) => {
    await requireAdmin(ctx, clinic);
    const paper = await ctx.db.get("papers", id);
    if (paper?.clinic !== clinic) throw new ConvexError("no such paper");
    await ctx.db.delete("papers", id);
    await ctx.storage.delete(paper.file);
    return null;
  },
});
