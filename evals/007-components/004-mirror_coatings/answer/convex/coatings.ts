// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import {
  defineWorkflow,
  sendEvent,
  start,
  vResultValidator,
  vWorkflowId,
  type WorkflowId,
} from "@convex-dev/workflow";
import { v } from "convex/values";
import { components, internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { internalAction, internalMutation, mutation, query } from "./_generated/server";
import { stage } from "./schema";

const MINUTE = 60_000;

export const begin = mutation({
  args: { name: v.string() },
  returns: v.id("mirrors"),
  handler: async (ctx, { name }): Promise<Id<"mirrors">> => {
    const mirror = await ctx.db.insert("mirrors", { name, stage: "washing" });
    const options = { onComplete: internal.coatings.ended, context: mirror };
    const workflow = await start(ctx, internal.coatings.coat, { mirror, name }, options);
    await ctx.db.patch("mirrors", mirror, { workflow });
    return mirror;
  },
});

export const coat = defineWorkflow(components.workflow, {
  args: { mirror: v.id("mirrors"), name: v.string() },
  returns: v.null(),
}).handler(async (step, { mirror, name }): Promise<null> => {
  await step.sleep(20 * MINUTE);
  await step.runMutation(internal.coatings.enter, { mirror, stage: "waiting" });
  await step.awaitEvent({ name: "approval" });
  await step.runMutation(internal.coatings.enter, { mirror, stage: "coating" });
  const nanometres = await step.runAction(
    internal.coatings.evaporate,
    { name },
    { retry: { maxAttempts: 3, initialBackoffMs: 5000, base: 2 } },
  );
  await step.runMutation(internal.coatings.enter, { mirror, stage: "cooling", nanometres });
  await step.sleep(120 * MINUTE);
  await step.runMutation(internal.coatings.enter, { mirror, stage: "ready" });
  return null;
});

export const enter = internalMutation({
  args: { mirror: v.id("mirrors"), stage, nanometres: v.optional(v.number()) },
  returns: v.null(),
  handler: async (ctx, { mirror, ...changes }) => {
    if ((await ctx.db.get("mirrors", mirror)) !== null) {
      await ctx.db.patch("mirrors", mirror, changes);
    }
    return null;
  },
});

export const evaporate = internalAction({
  args: { name: v.string() },
  returns: v.number(),
  handler: async (_ctx, { name }) => {
    const reply = await fetch("https://chamber.mirrors.test/coat", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ mirror: name }),
    });
    const body = (reply.status === 200 ? await reply.json() : null) as { nanometres?: unknown } | null;
    if (typeof body?.nanometres !== "number") {
      throw new Error(`The chamber answered ${reply.status}`);
    }
    return body.nanometres;
  },
});

export const ended = internalMutation({
  args: { workflowId: vWorkflowId, result: vResultValidator, context: v.id("mirrors") },
  handler: async (ctx, { result, context: mirror }) => {
    if (result.kind === "failed" && (await ctx.db.get("mirrors", mirror)) !== null) {
      await ctx.db.patch("mirrors", mirror, { stage: "failed" });
    }
  },
});

export const approve = mutation({
  args: { mirror: v.id("mirrors"), by: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { mirror: id, by }) => {
    const mirror = await ctx.db.get("mirrors", id);
    if (mirror?.stage !== "waiting" || mirror.approvedBy !== undefined) {
      return false;
    }
    await ctx.db.patch("mirrors", id, { approvedBy: by });
    const workflowId = mirror.workflow as WorkflowId;
    await sendEvent(ctx, components.workflow, { workflowId, name: "approval" });
    return true;
  },
});

export const show = query({
  args: { mirror: v.id("mirrors") },
  handler: async (ctx, args) => {
    const mirror = await ctx.db.get("mirrors", args.mirror);
    if (mirror === null) {
      return null;
    }
    const { name, stage, approvedBy, nanometres } = mirror;
    return { name, stage, approvedBy: approvedBy ?? null, nanometres: nanometres ?? null };
  },
});
