// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import {
  internalAction,
  internalMutation,
  internalQuery,
  mutation,
  query,
} from "./_generated/server";

const deed = v.id("deeds");

export const startUpload = mutation({
  handler: (ctx) => ctx.storage.generateUploadUrl(),
  args: {},
});

export const attach = mutation({
  args: { deed, file: v.id("_storage") },
  handler: async (ctx, args) => {
    const [stored, url, users] = await Promise.all([
      ctx.db.get(args.deed),
      ctx.storage.getUrl(args.file),
      ctx.db
        .query("deeds")
        .withIndex("by_scan", (q) => q.eq("scan", args.file))
        .take(1),
    ]);
    if (!stored) throw new ConvexError("no deed");
    if (!url) throw new ConvexError("no file");
    if (users.length > 0) throw new ConvexError("in use");
    const { order: _order, ...rest } = stored;
    await ctx.db.replace(args.deed, { ...rest, scan: args.file });
    if (stored.scan) await ctx.storage.delete(stored.scan);
    return null;
  },
});

export const requestScan = mutation({
  args: { deed },
  handler: async (ctx, args) => {
    const stored = await ctx.db.get(args.deed);
    if (!stored) throw new ConvexError("no deed");
    if (stored.scan) throw new ConvexError("has scan");
    if (stored.order === "waiting") return null;
    await ctx.scheduler.runAt(Date.now() + 60_000, internal.deeds.fetchIt, args);
    await ctx.db.patch(args.deed, { order: "waiting" });
    return null;
  },
});

export const get = query({
  args: { deed },
  handler: async (ctx, args) => {
    const stored = await ctx.db.get(args.deed);
    if (!stored) return null;
    return {
      title: stored.title,
      url: stored.scan ? await ctx.storage.getUrl(stored.scan) : null,
      order: stored.order ?? null,
    };
  },
});

export const wanted = internalQuery({
  args: { deed },
  handler: async (ctx, args) => {
    const stored = await ctx.db.get(args.deed);
    return stored?.order === "waiting" ? stored.shelfmark : null;
  },
});

/** Tells whether the outcome was wanted. */
export const finish = internalMutation({
  args: { deed, scan: v.optional(v.id("_storage")) },
  handler: async (ctx, { deed: id, scan }) => {
    const stored = await ctx.db.get(id);
    if (stored?.order !== "waiting") return false;
    await ctx.db.patch(id, scan ? { scan, order: undefined } : { order: "failed" });
    return true;
  },
});

export const fetchIt = internalAction({
  args: { deed },
  handler: async (ctx, args) => {
    const shelfmark: string | null = await ctx.runQuery(internal.deeds.wanted, args);
    if (shelfmark === null) return;
    const url = new URL("https://scanner.archive.test");
    url.pathname = `/scans/${encodeURIComponent(shelfmark)}`;
    let scan: Id<"_storage"> | undefined;
    try {
      const reply = await fetch(url, { method: "GET" });
      if (reply.status === 200) {
        const image = (await reply.blob()).slice(undefined, undefined, "image/jpeg");
        scan = await ctx.storage.store(image);
      }
    } catch (error) {
      console.warn("The scanner did not answer.", error);
    }
    const isKept: boolean = await ctx.runMutation(internal.deeds.finish, { ...args, scan });
    if (!isKept && scan) await ctx.storage.delete(scan);
  },
});
