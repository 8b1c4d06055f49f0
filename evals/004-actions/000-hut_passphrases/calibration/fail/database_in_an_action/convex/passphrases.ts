// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"use node";

import { randomBytes, scryptSync, timingSafeEqual } from "node:crypto";
import { ConvexError, v } from "convex/values";
import { action } from "./_generated/server";

const SHORTEST = 8;

function hashOf(passphrase: string, salt: Buffer): Buffer {
  return scryptSync(passphrase, salt, 64, { N: 2048, r: 8, p: 1 });
}

export const set = action({
  args: { hut: v.string(), passphrase: v.string() },
  returns: v.null(),
  handler: async (ctx, { hut, passphrase }) => {
    if (passphrase.length < SHORTEST) {
      throw new ConvexError("too short");
    }
    const salt = randomBytes(16);
    const stored = await ctx.db
      .query("credentials")
      .withIndex("by_hut", (q) => q.eq("hut", hut))
      .unique();
    if (stored !== null) {
      await ctx.db.delete("credentials", stored._id);
    }
    await ctx.db.insert("credentials", {
      hut,
      salt: salt.toString("hex"),
      hash: hashOf(passphrase, salt).toString("hex"),
    });
    return null;
  },
});

export const check = action({
  args: { hut: v.string(), passphrase: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { hut, passphrase }): Promise<boolean> => {
    const stored = await ctx.db
      .query("credentials")
      .withIndex("by_hut", (q) => q.eq("hut", hut))
      .unique();
    if (stored === null) {
      return false;
    }
    const hash = hashOf(passphrase, Buffer.from(stored.salt, "hex"));
    return timingSafeEqual(hash, Buffer.from(stored.hash, "hex"));
  },
});
