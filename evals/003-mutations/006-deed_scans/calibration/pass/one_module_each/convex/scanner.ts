// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalAction, internalMutation } from "./_generated/server";

export const fetchScan = internalAction({
  args: { deed: v.id("deeds"), shelfmark: v.string() },
  handler: async (ctx, { deed, shelfmark }) => {
    const address = `https://scanner.archive.test/scans/${encodeURIComponent(shelfmark)}`;
    const answer = await fetch(address).catch(() => null);
    const bytes = answer?.status === 200 ? await answer.arrayBuffer() : null;
    const file =
      bytes === null
        ? null
        : await ctx.storage.store(new Blob([new Uint8Array(bytes)], { type: "image/jpeg" }));
    await ctx.runMutation(internal.scanner.deliver, { deed, file });
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
