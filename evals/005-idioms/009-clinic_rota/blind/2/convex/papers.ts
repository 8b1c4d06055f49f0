// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { mutation, query, type QueryCtx } from "./_generated/server";
import { requireAdmin, requireMember } from "./model/access";

/** The clinic that a file belongs to: the one whose paper it became first. */
async function clinicOf(ctx: QueryCtx, file: Id<"_storage">): Promise<Id<"clinics"> | null> {
  const paper = await ctx.db
    .query("papers")
    .withIndex("by_file", (q) => q.eq("file", file))
    .first();
  return paper?.clinic ?? null;
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
    const owner = await clinicOf(ctx, paper.file);
    const isForeign = owner !== null && owner !== paper.clinic;
    if (isForeign || (await ctx.db.system.get("_storage", paper.file)) === null)
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
    const clinic = await clinicOf(ctx, file);
    if (clinic === null) throw new ConvexError("no such file");
    await requireMember(ctx, clinic);
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
    const owner = await clinicOf(ctx, paper.file);
    await ctx.db.delete("papers", id);
    // A file of another clinic, once taken for a paper, stays theirs.
    if (owner === clinic) await ctx.storage.delete(paper.file);
    return null;
  },
});
