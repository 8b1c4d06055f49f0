// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { mutation } from "./_generated/server";
import { codeOf, requireMember } from "./lib/access";
import { channel } from "./schema";

type Skipped = { to: string; code: "blocked" | "over_quota" };

/** Sends the same text to many. Who is blocked or beyond the quota is skipped. */
export const send = mutation({
  args: {
    workspace: v.id("workspaces"),
    channel,
    text: v.string(),
    recipients: v.array(v.string()),
  },
  returns: v.object({
    sent: v.array(v.id("messages")),
    skipped: v.array(
      v.object({
        to: v.string(),
        code: v.union(v.literal("blocked"), v.literal("over_quota")),
      }),
    ),
  }),
  handler: async (
    ctx,
    { recipients, ...draft },
  ): Promise<{ sent: Id<"messages">[]; skipped: Skipped[] }> => {
    await requireMember(ctx, draft.workspace);
    const sent: Id<"messages">[] = [];
    const skipped: Skipped[] = [];
    for (const to of recipients) {
      try {
        // A call of its own, so that all that a refused message has done is undone.
        sent.push(await ctx.runMutation(internal.messages.put, { ...draft, to }));
      } catch (error) {
        const code = codeOf(error);
        if (code !== "blocked" && code !== "over_quota") throw error;
        skipped.push({ to, code });
      }
    }
    return { sent, skipped };
  },
});
