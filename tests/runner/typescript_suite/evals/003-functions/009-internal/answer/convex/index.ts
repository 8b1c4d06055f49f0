import { internal } from "./_generated/api";
import { action, internalAction, internalMutation, internalQuery } from "./_generated/server";

export const answer = internalQuery({ args: {}, handler: async () => 42 });
export const noop = internalMutation({ args: {}, handler: async () => null });
export const work = internalAction({ args: {}, handler: async () => "done" });

export const all = action({
  args: {},
  handler: async (ctx): Promise<unknown[]> => [
    await ctx.runQuery(internal.index.answer, {}),
    await ctx.runMutation(internal.index.noop, {}),
    await ctx.runAction(internal.index.work, {}),
  ],
});
