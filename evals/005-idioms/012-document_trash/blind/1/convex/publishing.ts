// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc } from "./_generated/dataModel";
import { internalMutation, mutation } from "./_generated/server";
import type { MutationCtx } from "./_generated/server";
import { requireDocument } from "./model/access";
import { addActivity, tellHooks } from "./model/events";

const DAY = 24 * 60 * 60 * 1000;
const STALE = 180 * DAY;
const MOST_ARCHIVED = 50;

async function publishDocument(ctx: MutationCtx, document: Doc<"documents">) {
  await ctx.db.patch("documents", document._id, {
    status: "published",
    publishAt: undefined,
    publishJob: undefined,
    updatedAt: Date.now(),
  });
  await addActivity(ctx, document, "published");
  await tellHooks(ctx, document, "document.published");
}

export const publish = mutation({
  args: { document: v.id("documents") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const { document } = await requireDocument(ctx, args.document);
    if (document.publishJob !== undefined) await ctx.scheduler.cancel(document.publishJob);
    await publishDocument(ctx, document);
    return null;
  },
});

/** Publishes a document later, in place of an earlier plan. */
export const plan = mutation({
  args: { document: v.id("documents"), at: v.number() },
  returns: v.null(),
  handler: async (ctx, { document: id, at }) => {
    const { document } = await requireDocument(ctx, id);
    if (document.publishJob !== undefined) await ctx.scheduler.cancel(document.publishJob);
    const publishJob = await ctx.scheduler.runAt(at, internal.publishing.publishNow, { document: id });
    await ctx.db.patch("documents", id, { publishAt: at, publishJob });
    return null;
  },
});

/** What a plan comes to. In the trash it comes to nothing, and is over. */
export const publishNow = internalMutation({
  args: { document: v.id("documents") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const document = await ctx.db.get("documents", args.document);
    if (document === null) return null;
    if (document.trash === undefined) await publishDocument(ctx, document);
    else
      await ctx.db.patch("documents", document._id, {
        publishAt: undefined,
        publishJob: undefined,
      });
    return null;
  },
});

/** Archives what nobody has changed for half a year, the oldest first, some each day. */
export const archiveStale = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const before = Date.now() - STALE;
    for (const status of [undefined, "draft", "published"] as const) {
      const documents = await ctx.db
        .query("documents")
        .withIndex("by_age", (q) =>
          q.eq("trash", undefined).eq("status", status).lt("updatedAt", before),
        )
        .take(MOST_ARCHIVED);
      for (const document of documents) {
        await ctx.db.patch("documents", document._id, { status: "archived" });
        await addActivity(ctx, document, "archived");
        await tellHooks(ctx, document, "document.archived");
      }
    }
    return null;
  },
});
