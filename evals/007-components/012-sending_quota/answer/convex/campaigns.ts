// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { mutation } from "./_generated/server";
import { codeOf, requireMember } from "./lib/access";
import { channel } from "./schema";

/** Sends the same text to many. */
export const send = mutation({
  args: {
    workspace: v.id("workspaces"),
    channel,
    text: v.string(),
    recipients: v.array(v.string()),
  },
  returns: v.object({
    sent: v.array(v.id("messages")),
    skipped: v.array(v.object({ to: v.string(), code: v.string() })),
  }),
  handler: async (ctx, { recipients, ...draft }) => {
    await requireMember(ctx, draft.workspace);
    const sent: Id<"messages">[] = [];
    const skipped: { to: string; code: string }[] = [];
    for (const to of recipients) {
      try {
        sent.push(await ctx.runMutation(internal.messages.sendOne, { ...draft, to }));
      } catch (error) {
        const code = codeOf(error);
        if (code !== "blocked" && code !== "over_quota") throw error;
        skipped.push({ to, code });
      }
    }
    return { sent, skipped };
  },
});
