// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { createFunctionHandle } from "convex/server";

import { components, internal } from "../_generated/api";
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";

type Taken = Pick<Doc<"messages">, "workspace" | "channel" | "parts">;

/** Takes the parts of a message of its channel's quota. */
export async function takeQuota(ctx: MutationCtx, { workspace, channel, parts }: Taken) {
  await ctx.runMutation(components[channel].usage.take, {
    account: workspace,
    amount: parts,
    onLow: {
      handle: await createFunctionHandle(internal.notices.low),
      args: { workspace, channel },
    },
  });
}

/** Gives back what a message took. */
export async function giveBackQuota(
  ctx: MutationCtx,
  { workspace, channel, parts, _creationTime }: Doc<"messages">,
) {
  await ctx.runMutation(components[channel].usage.giveBack, {
    account: workspace,
    amount: parts,
    takenAt: _creationTime,
  });
}
