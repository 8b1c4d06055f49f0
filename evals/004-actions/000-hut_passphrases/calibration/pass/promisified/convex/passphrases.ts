// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"use node";

import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import { action } from "./_generated/server";
import { hashed, newSalt, same } from "./hashing";

const args = { hut: v.string(), passphrase: v.string() };

export const set = action({
  args,
  handler: async (ctx, { hut, passphrase }) => {
    if (passphrase.length < 8) throw new ConvexError("too short");
    const salt = newSalt();
    const hash = await hashed(passphrase, salt);
    await ctx.runMutation(internal.store.put, {
      credential: { hut, salt: salt.toString("hex"), hash: hash.toString("hex") },
    });
    return null;
  },
});

export const check = action({
  args,
  handler: async (ctx, { hut, passphrase }): Promise<boolean> => {
    const kept: { salt: string; hash: string } | null = await ctx.runQuery(internal.store.get, {
      hut,
    });
    if (!kept) return false;
    const hash = await hashed(passphrase, Buffer.from(kept.salt, "hex"));
    return same(hash, Buffer.from(kept.hash, "hex"));
  },
});
