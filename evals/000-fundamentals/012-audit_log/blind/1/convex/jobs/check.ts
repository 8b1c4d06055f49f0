// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalAction, internalMutation, internalQuery } from "../_generated/server";
import { logChange } from "../audit/log";

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
    if ((await ctx.db.get("integrations", integration)) !== null) {
      const change = () => ctx.db.patch("integrations", integration, { isHealthy });
      await logChange(ctx, "job:check", "integrations", integration, change);
    }
    return null;
  },
});
