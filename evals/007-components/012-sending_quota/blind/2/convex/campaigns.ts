// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

import type { Id } from "./_generated/dataModel";
import { mutation } from "./_generated/server";
import { refusal, requireMember } from "./lib/access";
import { deliver, findRefusal } from "./lib/outbox";
import { channel } from "./schema";

/** Sends the same text to many. Who is blocked, or is one too many for the quota, is left out. */
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
  handler: async (ctx, { recipients, ...fields }) => {
    await requireMember(ctx, fields.workspace);
    const sent: Id<"messages">[] = [];
    const skipped: { to: string; code: "blocked" | "over_quota" }[] = [];
    for (const to of recipients) {
      const draft = { ...fields, to };
      const code = await findRefusal(ctx, draft);
      if (code === "suspended") throw refusal(code);
      if (code === null) sent.push(await deliver(ctx, draft));
      else skipped.push({ to, code });
    }
    return { sent, skipped };
  },
});
