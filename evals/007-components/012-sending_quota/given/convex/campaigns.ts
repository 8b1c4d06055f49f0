// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

import type { Id } from "./_generated/dataModel";
import { mutation } from "./_generated/server";
import { requireMember } from "./lib/access";
import { putOut } from "./lib/outbox";
import { channel } from "./schema";

/** Sends the same text to many. */
export const send = mutation({
  args: {
    workspace: v.id("workspaces"),
    channel,
    text: v.string(),
    recipients: v.array(v.string()),
  },
  returns: v.object({ sent: v.array(v.id("messages")) }),
  handler: async (ctx, { recipients, ...draft }) => {
    await requireMember(ctx, draft.workspace);
    const sent: Id<"messages">[] = [];
    for (const to of recipients) sent.push(await putOut(ctx, { ...draft, to }));
    return { sent };
  },
});
