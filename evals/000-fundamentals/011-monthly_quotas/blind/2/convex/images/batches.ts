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
import { reply } from "../schema";
import { countImages, giveBack } from "../usage/count";
import { takeOnce } from "./requests";

const VISION = "https://vision.test/tag";

/** Take a batch of images, which are looked at one after the other. */
export const begin = internalMutation({
  args: { key: v.string(), urls: v.array(v.string()), request: v.optional(v.string()) },
  returns: reply,
  handler: async (ctx, { key, urls, request }) => {
    const project = await requireKey(ctx, key);
    return await takeOnce(ctx, project._id, request, async () => {
      const counted = await countImages(ctx, project, urls.length);
      const batch = await ctx.db.insert("batches", {
        project: project._id,
        urls,
        next: 0,
        state: "running",
        tagged: 0,
        failed: 0,
        counted,
      });
      await ctx.scheduler.runAfter(0, internal.images.batches.look, { batch, place: 0 });
      return { batch };
    });
  },
});

/** Have the service look at the next image. `place` is missing in what older versions scheduled. */
export const look = internalAction({
  args: { batch: v.id("batches"), place: v.optional(v.number()) },
  handler: async (ctx, { batch, place }): Promise<void> => {
    const url = await ctx.runQuery(internal.images.batches.getNext, { batch });
    if (url === null) {
      return;
    }
    const tags = await askVision(url);
    try {
      await ctx.runMutation(internal.images.batches.store, { batch, place, tags });
    } catch (error) {
      if (place === undefined) {
        throw error;
      }
      // Tags that cannot be stored must not keep the batch from its end.
      await ctx.runMutation(internal.images.batches.store, { batch, place, tags: null });
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
  args: {
    batch: v.id("batches"),
    place: v.optional(v.number()),
    tags: v.union(v.null(), v.array(v.string())),
  },
  returns: v.null(),
  handler: async (ctx, { batch: id, place, tags }) => {
    const batch = await ctx.db.get("batches", id);
    if (batch?.state !== "running" || (place !== undefined && place !== batch.next)) {
      return null;
    }
    const project = await getProject(ctx, batch.project);
    if (project === null) {
      await ctx.db.patch("batches", id, { state: "stopped" });
      await giveBack(ctx, batch, batch.tagged);
      return null;
    }
    const url = batch.urls[batch.next];
    const next = batch.next + 1;
    const isLast = next === batch.urls.length;
    const tagged = batch.tagged + (tags === null ? 0 : 1);
    if (tags !== null) {
      await ctx.db.insert("images", { project: project._id, url, tags });
    }
    await ctx.db.patch("batches", id, {
      next,
      state: isLast ? "done" : "running",
      tagged,
      failed: batch.failed + (tags === null ? 1 : 0),
    });
    if (isLast) {
      await giveBack(ctx, batch, tagged);
    } else {
      await ctx.scheduler.runAfter(0, internal.images.batches.look, { batch: id, place: next });
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
      await giveBack(ctx, batch, batch.tagged);
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
