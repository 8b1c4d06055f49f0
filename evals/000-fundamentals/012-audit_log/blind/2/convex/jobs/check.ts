// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalAction, internalMutation, internalQuery } from "../_generated/server";
import { record } from "../lib/audit";

/** See whether the programs that we are connected to answer. */
export const run = internalAction({
  args: {},
  handler: async (ctx): Promise<void> => {
    for (const { integration, url } of await ctx.runQuery(internal.jobs.check.list, {})) {
      const response = await fetch(url).catch(() => null);
      const isHealthy = response?.status === 200;
      await ctx.runMutation(internal.jobs.check.note, { integration, isHealthy });
    }
  },
});

export const list = internalQuery({
  args: {},
  handler: async (ctx) => {
    const integrations = await ctx.db.query("integrations").take(100);
    return integrations.map(({ _id, url }) => ({ integration: _id, url }));
  },
});

export const note = internalMutation({
  args: { integration: v.id("integrations"), isHealthy: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { integration, isHealthy }) => {
    const before = await ctx.db.get("integrations", integration);
    if (before !== null) {
      await ctx.db.patch("integrations", integration, { isHealthy });
      const after = await ctx.db.get("integrations", integration);
      await record(ctx, "job:check", { table: "integrations", before, after });
    }
    return null;
  },
});
