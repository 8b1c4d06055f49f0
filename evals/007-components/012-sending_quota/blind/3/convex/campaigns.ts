// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Infer } from "convex/values";

import { internal } from "./_generated/api";
import { mutation } from "./_generated/server";
import { refusalCode, requireMember } from "./lib/access";
import { channel } from "./schema";

const outcome = v.object({
  sent: v.array(v.id("messages")),
  skipped: v.array(
    v.object({ to: v.string(), code: v.union(v.literal("blocked"), v.literal("over_quota")) }),
  ),
});

/** Sends the same text to many, and skips those who are blocked or for whom no quota is left. */
export const send = mutation({
  args: {
    workspace: v.id("workspaces"),
    channel,
    text: v.string(),
    recipients: v.array(v.string()),
  },
  returns: outcome,
  handler: async (ctx, { recipients, ...draft }): Promise<Infer<typeof outcome>> => {
    await requireMember(ctx, draft.workspace);
    const { sent, skipped }: Infer<typeof outcome> = { sent: [], skipped: [] };
    for (const to of recipients) {
      try {
        sent.push(await ctx.runMutation(internal.messages.put, { ...draft, to }));
      } catch (error) {
        const code = refusalCode(error);
        if (code !== "blocked" && code !== "over_quota") throw error;
        skipped.push({ to, code });
      }
    }
    return { sent, skipped };
  },
});
