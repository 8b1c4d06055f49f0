// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

import { internalMutation } from "./_generated/server";
import { refusal } from "./lib/access";
import { refuseBlocked, takeQuota } from "./lib/outbox";

/** Sends a mail for a workspace's own program, which has the workspace's key. */
export const sendMail = internalMutation({
  args: { apiKey: v.string(), to: v.string(), text: v.string() },
  returns: v.id("messages"),
  handler: async (ctx, { apiKey, to, text }) => {
    const workspace = await ctx.db
      .query("workspaces")
      .withIndex("by_api_key", (q) => q.eq("apiKey", apiKey))
      .unique();
    if (workspace === null) throw refusal("no_access");
    if (workspace.isSuspended) throw refusal("suspended");
    const draft = { workspace: workspace._id, channel: "mails", to, text } as const;
    await refuseBlocked(ctx, draft);
    await takeQuota(ctx, draft, 1);
    return await ctx.db.insert("messages", { ...draft, parts: 1, isBounced: false });
  },
});
