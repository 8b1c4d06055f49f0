// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { inspect } from "./files";

const answer = v.union(
  v.object({ ok: v.literal(true), poster: v.id("posters") }),
  v.object({
    ok: v.literal(false),
    reason: v.union(
      ...(["gone", "in_use", "not_an_image", "too_large", "no_poster"] as const).map((reason) =>
        v.literal(reason),
      ),
    ),
  }),
);

export const startUpload = mutation({
  args: {},
  returns: v.string(),
  handler: (ctx) => ctx.storage.generateUploadUrl(),
});

export const hang = mutation({
  args: { festival: v.string(), file: v.id("_storage") },
  returns: answer,
  handler: async (ctx, args) => {
    const { reason, worthless } = await inspect(ctx, args.file);
    if (worthless) await ctx.storage.delete(args.file);
    if (reason) return { ok: false as const, reason };
    return { ok: true as const, poster: await ctx.db.insert("posters", args) };
  },
});

export const swap = mutation({
  args: { poster: v.id("posters"), file: v.id("_storage") },
  returns: answer,
  handler: async (ctx, args) => {
    const { reason, worthless } = await inspect(ctx, args.file);
    const poster = await ctx.db.get(args.poster);
    if (worthless || (!reason && !poster)) await ctx.storage.delete(args.file);
    if (reason) return { ok: false as const, reason };
    if (!poster) return { ok: false as const, reason: "no_poster" as const };
    await ctx.db.patch(poster._id, { file: args.file });
    await ctx.storage.delete(poster.file);
    return { ok: true as const, poster: poster._id };
  },
});

export const list = query({
  args: { festival: v.string() },
  returns: v.array(
    v.object({
      poster: v.id("posters"),
      url: v.string(),
      contentType: v.string(),
      size: v.number(),
    }),
  ),
  handler: async (ctx, { festival }) => {
    const shown = [];
    for await (const poster of ctx.db
      .query("posters")
      .withIndex("festival", (q) => q.eq("festival", festival))) {
      const url = await ctx.storage.getUrl(poster.file);
      const stored = await ctx.db.system.get(poster.file);
      if (url === null || stored === null) continue;
      const { contentType = "", size } = stored;
      shown.push({ poster: poster._id, url, contentType, size });
    }
    return shown;
  },
});

export const takeDown = mutation({
  args: { poster: v.id("posters") },
  returns: v.boolean(),
  handler: async (ctx, args) => {
    const poster = await ctx.db.get(args.poster);
    if (!poster) return false;
    await Promise.all([ctx.db.delete(poster._id), ctx.storage.delete(poster.file)]);
    return true;
  },
});
