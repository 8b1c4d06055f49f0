// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, query, type QueryCtx } from "./_generated/server";
import { findMember, requireAdmin, requireMember, requireToken } from "./model/access";

async function papersOf(ctx: QueryCtx, file: Id<"_storage">): Promise<Doc<"papers">[]> {
  return await ctx.db
    .query("papers")
    .withIndex("by_file", (q) => q.eq("file", file))
    .collect();
}

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
    const papers = await papersOf(ctx, paper.file);
    if (
      papers.some(({ clinic }) => clinic !== paper.clinic) ||
      (await ctx.db.system.get("_storage", paper.file)) === null
    )
      throw new ConvexError("no such file");
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
    const token = await requireToken(ctx);
    for (const { clinic } of await papersOf(ctx, file)) {
      if ((await findMember(ctx, clinic, token)) !== null) return await ctx.storage.getUrl(file);
    }
    throw new ConvexError("no such file");
  },
});

export const remove = mutation({
  args: { clinic: v.id("clinics"), paper: v.id("papers") },
  returns: v.null(),
  handler: async (ctx, { clinic, paper: id }) => {
    await requireAdmin(ctx, clinic);
    const paper = await ctx.db.get("papers", id);
    if (paper === null || paper.clinic !== clinic) throw new ConvexError("no such paper");
    await ctx.db.delete("papers", id);
    // A file that another clinic has, too, is not ours to delete.
    const papers = await papersOf(ctx, paper.file);
    if (papers.every((other) => other.clinic === clinic)) await ctx.storage.delete(paper.file);
    return null;
  },
});
