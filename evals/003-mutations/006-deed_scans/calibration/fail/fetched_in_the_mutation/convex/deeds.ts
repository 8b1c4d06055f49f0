// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import {
  internalMutation,
  mutation,
  type MutationCtx,
  query,
} from "./_generated/server";

const MINUTE = 60_000;

export const startUpload = mutation({
  args: {},
  returns: v.string(),
  handler: async (ctx) => await ctx.storage.generateUploadUrl(),
});

export const attach = mutation({
  args: { deed: v.id("deeds"), file: v.id("_storage") },
  returns: v.null(),
  handler: async (ctx, { deed, file }) => {
    const stored = await existing(ctx, deed);
    if ((await ctx.db.system.get("_storage", file)) === null) {
      throw new ConvexError("no file");
    }
    const other = await ctx.db
      .query("deeds")
      .withIndex("by_scan", (q) => q.eq("scan", file))
      .first();
    if (other !== null) {
      throw new ConvexError("in use");
    }
    if (stored.scan !== undefined) {
      await ctx.storage.delete(stored.scan);
    }
    await ctx.db.patch("deeds", deed, { scan: file, order: undefined });
    return null;
  },
});

export const requestScan = mutation({
  args: { deed: v.id("deeds") },
  returns: v.null(),
  handler: async (ctx, { deed }) => {
    const { scan, order, shelfmark } = await existing(ctx, deed);
    if (scan !== undefined) {
      throw new ConvexError("has scan");
    }
    if (order !== "waiting") {
      await ctx.db.patch("deeds", deed, { order: "waiting" });
      const image = await scanned(shelfmark);
      const file = image && (await ctx.storage.store(image));
      await ctx.scheduler.runAfter(MINUTE, internal.deeds.deliver, { deed, file });
    }
    return null;
  },
});

export const get = query({
  args: { deed: v.id("deeds") },
  returns: v.nullable(
    v.object({
      title: v.string(),
      url: v.nullable(v.string()),
      order: v.nullable(v.string()),
    }),
  ),
  handler: async (ctx, { deed }) => {
    const stored = await ctx.db.get("deeds", deed);
    if (stored === null) {
      return null;
    }
    const { title, scan, order } = stored;
    const url = scan === undefined ? null : await ctx.storage.getUrl(scan);
    return { title, url, order: order ?? null };
  },
});

export const deliver = internalMutation({
  args: { deed: v.id("deeds"), file: v.nullable(v.id("_storage")) },
  returns: v.null(),
  handler: async (ctx, { deed, file }) => {
    const stored = await ctx.db.get("deeds", deed);
    if (stored?.order === "waiting") {
      const outcome = file === null ? { order: "failed" as const } : { scan: file, order: undefined };
      await ctx.db.patch("deeds", deed, outcome);
    } else if (file !== null) {
      await ctx.storage.delete(file);
    }
    return null;
  },
});

/** Asks the scanner, and returns the image, or null if there is none. */
async function scanned(shelfmark: string): Promise<Blob | null> {
  try {
    const url = `https://scanner.archive.test/scans/${encodeURIComponent(shelfmark)}`;
    const response = await fetch(url);
    if (response.status !== 200) {
      return null;
    }
    return new Blob([await response.arrayBuffer()], { type: "image/jpeg" });
  } catch {
    return null;
  }
}

async function existing(ctx: MutationCtx, deed: Id<"deeds">) {
  const stored = await ctx.db.get("deeds", deed);
  if (stored === null) {
    throw new ConvexError("no deed");
  }
  return stored;
}
