// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { createFunctionHandle } from "convex/server";

import { components, internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { refusal } from "./access";
import { countParts } from "./parts";

const DAY = 24 * 60 * 60 * 1000;

export type Draft = Pick<Doc<"messages">, "workspace" | "channel" | "to" | "text">;

/**
 * Sends a message: takes its parts of the quota and puts it into the table, from which the
 * provider fetches it. A refusal undoes nothing by itself: who catches it must have called a
 * mutation of its own.
 */
export async function putOut(ctx: MutationCtx, draft: Draft): Promise<Id<"messages">> {
  const workspace = await ctx.db.get("workspaces", draft.workspace);
  if (workspace === null || workspace.isSuspended) throw refusal("suspended");
  const parts = countParts(draft.channel, draft.text);
  const day = await takeQuota(ctx, draft, parts);
  await refuseBlocked(ctx, draft);
  return await ctx.db.insert("messages", { ...draft, parts, day, isBounced: false });
}

/** Takes parts of a channel's quota of today. Returns the day of which they were taken. */
export async function takeQuota(
  ctx: MutationCtx,
  { workspace, channel }: Draft,
  parts: number,
): Promise<number> {
  const onLow: string = await createFunctionHandle(internal.notices.low);
  return await ctx.runMutation(components[channel].usage.take, {
    account: workspace,
    amount: parts,
    channel,
    onLow,
  });
}

/** Gives back what a message took of the quota of its day. */
export async function giveQuotaBack(ctx: MutationCtx, message: Doc<"messages">): Promise<void> {
  await ctx.runMutation(components[message.channel].usage.giveBack, {
    account: message.workspace,
    amount: message.parts,
    day: message.day ?? Math.floor(message._creationTime / DAY),
  });
}

export async function refuseBlocked(ctx: MutationCtx, { workspace, to }: Draft) {
  const block = await ctx.db
    .query("blocks")
    .withIndex("by_workspace", (q) => q.eq("workspace", workspace).eq("address", to))
    .first();
  if (block !== null) throw refusal("blocked");
}
