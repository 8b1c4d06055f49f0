"use node";

import { createHash } from "node:crypto";
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { action } from "./_generated/server";

export const digest = action({
  args: {},
  handler: async () => createHash("sha256").update("abc").digest("hex").slice(0, 8),
});
export const buffer = action({
  args: {},
  handler: async () => Buffer.from("abc").toString("base64"),
});
export const calls = action({
  args: {},
  handler: async (ctx): Promise<number> => {
    await ctx.runMutation(internal.probe.note, { n: 1 });
    return await ctx.runQuery(internal.probe.count, {});
  },
});
export const bytes = action({
  args: {},
  handler: async () => new Uint8Array([1, 2]).buffer as ArrayBuffer,
});
export const variable = action({
  args: {},
  handler: async () => typeof process.env.CONVEX_CLOUD_URL,
});
export const measure = action({
  args: { text: v.string() },
  handler: async (_ctx, { text }) => text.length,
});
