// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc, Id } from "./_generated/dataModel";
import { internalMutation, mutation, type MutationCtx, query } from "./_generated/server";

/** Why a file is not taken. */
class Refused extends Error {
  constructor(
    readonly reason: string,
    readonly file: Id<"_storage"> | null,
  ) {
    super(reason);
  }
}

// Within a mutation an error undoes nothing as long as it is caught.
async function answer(ctx: MutationCtx, work: () => Promise<Id<"posters">>) {
  try {
    return { ok: true, poster: await work() };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { file, reason } = error;
    // It has to be gone when the caller reads the answer, and not before this is certain.
    if (file !== null) await ctx.runMutation(internal.posters.discard, { file });
    return { ok: false, reason };
  }
}

async function check(ctx: MutationCtx, file: Id<"_storage">) {
  const stored = await ctx.db.system.get("_storage", file);
  if (stored === null) throw new Refused("gone", null);
  const owners = await ctx.db
    .query("posters")
    .withIndex("by_file", (q) => q.eq("file", file))
    .take(1);
  if (owners.length > 0) throw new Refused("in_use", null);
  switch (stored.contentType) {
    case "image/jpeg":
    case "image/png":
      break;
    default:
      throw new Refused("not_an_image", file);
  }
  if (stored.size >= 50_001) throw new Refused("too_large", file);
}

export const discard = internalMutation({
  args: { file: v.id("_storage") },
  handler: async (ctx, { file }): Promise<null> => {
    await ctx.storage.delete(file);
    return null;
  },
});

export const startUpload = mutation({
  args: {},
  handler: async (ctx): Promise<string> => await ctx.storage.generateUploadUrl(),
});

export const hang = mutation({
  args: { festival: v.string(), file: v.id("_storage") },
  handler: (ctx, args): Promise<object> =>
    answer(ctx, async () => {
      await check(ctx, args.file);
      return await ctx.db.insert("posters", args);
    }),
});

export const swap = mutation({
  args: { poster: v.id("posters"), file: v.id("_storage") },
  handler: (ctx, { poster, file }): Promise<object> =>
    answer(ctx, async () => {
      await check(ctx, file);
      const before: Doc<"posters"> | null = await ctx.db.get("posters", poster);
      if (before === null) throw new Refused("no_poster", file);
      await ctx.db.replace("posters", poster, { festival: before.festival, file });
      await ctx.storage.delete(before.file);
      return poster;
    }),
});

export const list = query({
  args: { festival: v.string() },
  handler: async (ctx, { festival }) => {
    const posters = await ctx.db
      .query("posters")
      .withIndex("by_festival", (q) => q.eq("festival", festival))
      .order("asc")
      .take(50);
    const described = posters.map(async (poster) => {
      const [url, stored] = await Promise.all([
        ctx.storage.getUrl(poster.file),
        ctx.db.system.get("_storage", poster.file),
      ]);
      return { poster: poster._id, url, contentType: stored!.contentType, size: stored!.size };
    });
    return await Promise.all(described);
  },
});

export const takeDown = mutation({
  args: { poster: v.id("posters") },
  handler: async (ctx, args) => {
    const poster = await ctx.db.get("posters", args.poster);
    if (poster !== null) {
      await ctx.db.delete("posters", args.poster);
      await ctx.storage.delete(poster.file);
    }
    return poster !== null;
  },
});
