import {
  defineWorkflow,
  getStatus,
  sendEvent,
  start,
  vResultValidator,
  vWorkflowId,
  type WorkflowId,
} from "@convex-dev/workflow";
import { v } from "convex/values";

import { components, internal } from "./_generated/api";
import { internalAction, internalMutation, internalQuery, mutation, query } from "./_generated/server";

export const price = internalQuery({
  args: { item: v.string() },
  handler: async (_ctx, { item }) => item.length * 10,
});

export const charge = internalAction({
  args: { amount: v.number(), failures: v.number() },
  handler: async (ctx, { amount, failures }): Promise<string> => {
    const attempt: number = await ctx.runMutation(internal.lines.write, { text: "charge" });
    if (attempt <= failures) throw new Error("the bank is closed");
    return `charged ${amount}`;
  },
});

export const order = defineWorkflow(components.workflow, {
  args: { item: v.string(), failures: v.number() },
  returns: v.string(),
}).handler(async (step, { item, failures }): Promise<string> => {
  const amount = await step.runQuery(internal.orders.price, { item });
  await step.runMutation(internal.lines.write, { text: `ordered ${item}` });
  const address = await step.awaitEvent<string>({ name: "address", validator: v.string() });
  const charged = await step.runAction(
    internal.orders.charge,
    { amount, failures },
    { retry: { maxAttempts: 3, initialBackoffMs: 1000, base: 2 } },
  );
  await step.sleep(60_000);
  await step.runMutation(internal.lines.write, { text: `sent to ${address}` });
  return charged;
});

export const ended = internalMutation({
  args: { workflowId: vWorkflowId, result: vResultValidator, context: v.string() },
  handler: async (ctx, { result, context }) => {
    await ctx.db.insert("lines", { text: `${context}: ${result.kind}` });
  },
});

export const place = mutation({
  args: { item: v.string(), failures: v.number() },
  returns: vWorkflowId,
  handler: async (ctx, { item, failures }): Promise<WorkflowId> =>
    await start(
      ctx,
      internal.orders.order,
      { item, failures },
      { onComplete: internal.orders.ended, context: item },
    ),
});

export const tell = mutation({
  args: { workflowId: vWorkflowId, address: v.string() },
  handler: async (ctx, { workflowId, address }) => {
    await sendEvent(ctx, components.workflow, { workflowId, name: "address", value: address });
  },
});

export const status = query({
  args: { workflowId: vWorkflowId },
  handler: async (ctx, { workflowId }): Promise<string[]> => {
    const state = await getStatus(ctx, components.workflow, workflowId);
    if (state.type === "completed") return [state.type, String(state.result)];
    return state.type === "failed" ? [state.type, state.error] : [state.type];
  },
});
