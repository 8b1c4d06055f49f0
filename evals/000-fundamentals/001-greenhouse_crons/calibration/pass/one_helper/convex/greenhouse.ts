// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { makeFunctionReference } from "convex/server";
import { internalAction, internalMutation, type MutationCtx } from "./_generated/server";

const event = { task: v.string(), house: v.string() };
const recordReference = makeFunctionReference<"mutation", { task: string; house: string }, null>(
  "greenhouse:record",
);

async function write(ctx: MutationCtx, task: string, house: string) {
  const at = new Date().getTime();
  await ctx.db.insert("events", { task, house, at });
}

export const record = internalMutation({
  args: event,
  returns: v.null(),
  handler: async (ctx, { task, house }) => {
    await write(ctx, task, house);
    return null;
  },
});

export const survey = internalAction({
  args: { house: event.house },
  returns: v.null(),
  handler: async (ctx, { house }) => {
    return await ctx.runMutation(recordReference, { task: "survey", house });
  },
});
