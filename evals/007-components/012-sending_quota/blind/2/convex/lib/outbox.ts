// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { createFunctionHandle } from "convex/server";

import { components, internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { refusal } from "./access";
import { countParts } from "./parts";

export type Draft = Pick<Doc<"messages">, "workspace" | "channel" | "to" | "text">;

/** Sends a message, or refuses it. */
export async function putOut(ctx: MutationCtx, draft: Draft): Promise<Id<"messages">> {
  const code = await findRefusal(ctx, draft);
  if (code !== null) throw refusal(code);
  return await deliver(ctx, draft);
}

/** Returns why a message is refused, or null. Changes nothing. */
export async function findRefusal(
  ctx: MutationCtx,
  draft: Draft,
): Promise<"suspended" | "over_quota" | "blocked" | null> {
  const workspace = await ctx.db.get("workspaces", draft.workspace);
  if (workspace === null || workspace.isSuspended) return "suspended";
  const fits: boolean = await ctx.runQuery(components[draft.channel].usage.fits, {
    account: draft.workspace,
    amount: countParts(draft.channel, draft.text),
  });
  if (!fits) return "over_quota";
  return (await isBlocked(ctx, draft)) ? "blocked" : null;
}

export async function isBlocked(ctx: MutationCtx, { workspace, to }: Draft): Promise<boolean> {
  const block = await ctx.db
    .query("blocks")
    .withIndex("by_workspace", (q) => q.eq("workspace", workspace).eq("address", to))
    .first();
  return block !== null;
}

/**
 * Takes a message's parts of the quota and puts it into the table, from which the provider fetches it.
 * If the quota does not suffice it is refused; everything else has been checked before.
 */
export async function deliver(ctx: MutationCtx, draft: Draft): Promise<Id<"messages">> {
  const { workspace, channel } = draft;
  const parts = countParts(channel, draft.text);
  await ctx.runMutation(components[channel].usage.take, {
    account: workspace,
    amount: parts,
    onLow: {
      handle: await createFunctionHandle(internal.notices.low),
      args: { workspace, channel },
    },
  });
  return await ctx.db.insert("messages", { ...draft, parts, isBounced: false });
}
