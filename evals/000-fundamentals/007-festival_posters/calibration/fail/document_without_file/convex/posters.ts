// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { mutation, type MutationCtx, query } from "./_generated/server";

const IMAGES = ["image/png", "image/jpeg"];
const LARGEST = 50_000;

export const startUpload = mutation({
  args: {},
  handler: async (ctx) => await ctx.storage.generateUploadUrl(),
});

export const hang = mutation({
  args: { festival: v.string(), file: v.id("_storage") },
  handler: async (ctx, { festival, file }) => {
    const reason = await refusal(ctx, file);
    if (reason !== null) return { ok: false as const, reason };
    const poster = await ctx.db.insert("posters", { festival, file });
    return { ok: true as const, poster };
  },
});

export const swap = mutation({
  args: { poster: v.id("posters"), file: v.id("_storage") },
  handler: async (ctx, { poster, file }) => {
    const reason = await refusal(ctx, file);
    if (reason !== null) return { ok: false as const, reason };
    const old = await ctx.db.get("posters", poster);
    if (old === null) {
      await ctx.storage.delete(file);
      return { ok: false as const, reason: "no_poster" as const };
    }
    await ctx.storage.delete(old.file);
    await ctx.db.patch("posters", poster, { file });
    return { ok: true as const, poster };
  },
});

export const list = query({
  args: { festival: v.string() },
  handler: async (ctx, { festival }) => {
    const posters = await ctx.db
      .query("posters")
      .withIndex("by_festival", (q) => q.eq("festival", festival))
      .collect();
    return await Promise.all(
      posters.map(async ({ _id, file }) => {
        const stored = await ctx.db.system.get("_storage", file);
        return {
          poster: _id,
          url: await ctx.storage.getUrl(file),
          contentType: stored?.contentType,
          size: stored?.size,
        };
      }),
    );
  },
});

export const takeDown = mutation({
  args: { poster: v.id("posters") },
  handler: async (ctx, args) => {
    const poster = await ctx.db.get("posters", args.poster);
    if (poster === null) return false;
    await ctx.db.delete("posters", poster._id);
    return true;
  },
});

/** Says why a file cannot be taken, or null. What is no poster, and nobody's, is deleted. */
async function refusal(ctx: MutationCtx, file: Id<"_storage">) {
  const stored = await ctx.db.system.get("_storage", file);
  if (stored === null) return "gone";
  const poster = await ctx.db
    .query("posters")
    .withIndex("by_file", (q) => q.eq("file", file))
    .first();
  if (poster !== null) return "in_use";
  const reason = !IMAGES.includes(stored.contentType ?? "")
    ? "not_an_image"
    : stored.size > LARGEST
      ? "too_large"
      : null;
  // A refusal that is thrown would undo this.
  if (reason !== null) await ctx.storage.delete(file);
  return reason;
}
