// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import {
  internalAction,
  internalMutation,
  internalQuery,
} from "../_generated/server";
import { fail } from "../lib/errors";
import { requireKey } from "../keys/check";
import { getProject } from "../projects/find";
import { countImages, giveBack, leftOf } from "../usage/count";
import { findReply, httpReply, keepReply, overLimit } from "../usage/requests";

const VISION = "https://vision.test/tag";

/** Take a batch of images, which are looked at one after the other. */
export const begin = internalMutation({
  args: { key: v.string(), urls: v.array(v.string()), requestId: v.optional(v.string()) },
  returns: httpReply,
  handler: async (ctx, { key, urls, requestId }) => {
    const project = await requireKey(ctx, key);
    const now = Date.now();
    const earlier = await findReply(ctx, project._id, requestId, now);
    if (earlier !== null) {
      return earlier;
    }
    const counted = await countImages(ctx, project, urls.length, now);
    if (counted === null) {
      return overLimit(now);
    }
    const batch = await ctx.db.insert("batches", {
      project: project._id,
      urls,
      next: 0,
      state: "running",
      tagged: 0,
      failed: 0,
      counted,
    });
    await ctx.scheduler.runAfter(0, internal.images.batches.look, { batch });
    const body = JSON.stringify({ batch });
    return await keepReply(ctx, project._id, requestId, now, { status: 202, body });
  },
});

/** Have the service look at the next image. */
export const look = internalAction({
  args: { batch: v.id("batches") },
  handler: async (ctx, { batch }): Promise<void> => {
    const url = await ctx.runQuery(internal.images.batches.getNext, { batch });
    if (url === null) {
      return;
    }
    const tags = await askVision(url);
    try {
      await ctx.runMutation(internal.images.batches.store, { batch, tags });
    } catch (error) {
      if (tags === null) {
        throw error;
      }
      // Tags that cannot be stored are as good as none.
      await ctx.runMutation(internal.images.batches.store, { batch, tags: null });
    }
  },
});

export const getNext = internalQuery({
  args: { batch: v.id("batches") },
  returns: v.union(v.null(), v.string()),
  handler: async (ctx, args) => {
    const batch = await ctx.db.get("batches", args.batch);
    return batch?.state === "running" ? batch.urls[batch.next] : null;
  },
});

/** Store what the service said of the next image: null if it failed. */
export const store = internalMutation({
  args: { batch: v.id("batches"), tags: v.union(v.null(), v.array(v.string())) },
  returns: v.null(),
  handler: async (ctx, { batch: id, tags }) => {
    const batch = await ctx.db.get("batches", id);
    if (batch?.state !== "running") {
      return null;
    }
    const project = await getProject(ctx, batch.project);
    if (project === null) {
      await ctx.db.patch("batches", id, { state: "stopped" });
      await giveBack(ctx, batch, leftOf(batch));
      return null;
    }
    const url = batch.urls[batch.next];
    const next = batch.next + 1;
    const isLast = next === batch.urls.length;
    if (tags !== null) {
      await ctx.db.insert("images", { project: project._id, url, tags });
    } else {
      await giveBack(ctx, batch, 1);
    }
    await ctx.db.patch("batches", id, {
      next,
      state: isLast ? "done" : "running",
      tagged: batch.tagged + (tags === null ? 0 : 1),
      failed: batch.failed + (tags === null ? 1 : 0),
    });
    if (!isLast) {
      await ctx.scheduler.runAfter(0, internal.images.batches.look, { batch: id });
    }
    return null;
  },
});

/** Stop a batch. The image that is looked at just now is not stored any more. */
export const stop = internalMutation({
  args: { key: v.string(), batch: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const project = await requireKey(ctx, args.key);
    const id = ctx.db.normalizeId("batches", args.batch);
    const batch = id === null ? null : await ctx.db.get("batches", id);
    if (batch === null || batch.project !== project._id) {
      throw fail("not_found");
    }
    if (batch.state === "running") {
      await ctx.db.patch("batches", batch._id, { state: "stopped" });
      await giveBack(ctx, batch, leftOf(batch));
    }
    return null;
  },
});

export const show = internalQuery({
  args: { key: v.string(), batch: v.string() },
  handler: async (ctx, args) => {
    const project = await requireKey(ctx, args.key);
    const id = ctx.db.normalizeId("batches", args.batch);
    const batch = id === null ? null : await ctx.db.get("batches", id);
    if (batch === null || batch.project !== project._id) {
      throw fail("not_found");
    }
    return { state: batch.state, tagged: batch.tagged, failed: batch.failed };
  },
});

/** Return the service's tags of an image; null if it has none to tell. */
async function askVision(url: string): Promise<string[] | null> {
  try {
    const response = await fetch(VISION, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ url }),
    });
    const said: unknown = response.status === 200 ? await response.json() : null;
    return Array.isArray(said) ? said.map(String) : null;
  } catch {
    return null;
  }
}
