// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { createFunctionHandle } from "convex/server";

import { components, internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { refusal } from "./access";
import { countParts } from "./parts";

export type Draft = Pick<Doc<"messages">, "workspace" | "channel" | "to" | "text">;

/**
 * Sends a message: takes its parts of the quota and puts it into the table, from which the
 * provider fetches it. Whoever catches a refusal calls `messages.put` instead: what was taken
 * before the refusal is undone only with the mutation.
 */
export async function putOut(ctx: MutationCtx, draft: Draft): Promise<Id<"messages">> {
  const workspace = await ctx.db.get("workspaces", draft.workspace);
  if (workspace === null || workspace.isSuspended) throw refusal("suspended");
  const parts = countParts(draft.channel, draft.text);
  await takeQuota(ctx, draft, parts);
  await refuseBlocked(ctx, draft);
  return await ctx.db.insert("messages", { ...draft, parts, isBounced: false });
}

/** Takes an amount of the quota of a message's channel, and has admins told if little is left. */
export async function takeQuota(
  ctx: MutationCtx,
  { workspace, channel }: Draft,
  amount: number,
): Promise<void> {
  const onLow = await createFunctionHandle(internal.notices.low);
  await ctx.runMutation(components[channel].usage.take, {
    account: workspace,
    amount,
    channel,
    onLow,
  });
}

export async function refuseBlocked(ctx: MutationCtx, { workspace, to }: Draft): Promise<void> {
  const block = await ctx.db
    .query("blocks")
    .withIndex("by_workspace", (q) => q.eq("workspace", workspace).eq("address", to))
    .first();
  if (block !== null) throw refusal("blocked");
}
