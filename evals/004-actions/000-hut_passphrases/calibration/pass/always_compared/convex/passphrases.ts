// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"use node";

import crypto from "crypto";
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc } from "./_generated/dataModel";
import { action } from "./_generated/server";

const PARAMETERS = { cost: 2048, blockSize: 8, parallelization: 1 };

export const set = action({
  args: { hut: v.string(), passphrase: v.string() },
  handler: async (ctx, args) => {
    if (args.passphrase.length < 8) {
      throw new ConvexError("too short");
    }
    const salt = crypto.randomBytes(16);
    const hash = crypto.scryptSync(args.passphrase, salt, 64, PARAMETERS).toString("hex");
    await ctx.runMutation(internal.internals.upsert, { hut: args.hut, salt: salt.toString("hex"), hash });
    return null;
  },
});

export const check = action({
  args: { hut: v.string(), passphrase: v.string() },
  handler: async (ctx, args): Promise<boolean> => {
    const found: Doc<"credentials"> | null = await ctx.runQuery(internal.internals.lookUp, {
      hut: args.hut,
    });
    const salt = Buffer.from(found?.salt ?? "00", "hex");
    const hash = crypto.scryptSync(args.passphrase, salt, 64, PARAMETERS);
    const expected = found === null ? Buffer.alloc(64) : Buffer.from(found.hash, "hex");
    return crypto.timingSafeEqual(hash, expected) && found !== null;
  },
});
