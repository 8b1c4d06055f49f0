// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { openai } from "@ai-sdk/openai";
import { Agent, createThread, listMessages } from "@convex-dev/agent";
import { ConvexError, v } from "convex/values";
import { components } from "./_generated/api";
import { action, mutation, query, type ActionCtx, type QueryCtx } from "./_generated/server";

const guide = new Agent(components.agent, {
  name: "guide",
  languageModel: openai("gpt-5-mini"),
  instructions: "You are the guide of a planetarium. Answer in one sentence.",
});

async function caller(ctx: QueryCtx | ActionCtx): Promise<string> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) {
    throw new ConvexError("not signed in");
  }
  return identity.tokenIdentifier;
}

async function checkOwn(ctx: QueryCtx | ActionCtx, threadId: string): Promise<void> {
  const userId = await caller(ctx);
  const thread = await ctx
    .runQuery(components.agent.threads.getThread, { threadId })
    .catch(() => null);
  if (thread?.userId !== userId) {
    throw new ConvexError("no such conversation");
  }
}

export const begin = mutation({
  args: { title: v.string() },
  returns: v.string(),
  handler: async (ctx, { title }): Promise<string> => {
    const userId = await caller(ctx);
    return await createThread(ctx, components.agent, { userId, title });
  },
});

export const ask = action({
  args: { thread: v.string(), question: v.string() },
  returns: v.string(),
  handler: async (ctx, { thread: threadId, question }): Promise<string> => {
    await checkOwn(ctx, threadId);
    const { thread } = await guide.continueThread(ctx, { threadId });
    try {
      const { text } = await thread.generateText({ prompt: question });
      return text;
    } catch {
      throw new ConvexError("no answer");
    }
  },
});

export const messages = query({
  args: { thread: v.string() },
  handler: async (ctx, { thread: threadId }) => {
    await checkOwn(ctx, threadId);
    const { page } = await listMessages(ctx, components.agent, {
      threadId,
      paginationOpts: { cursor: null, numItems: 20 },
    });
    return page
      .reverse()
      .map(({ message, text }) => ({ role: message?.role ?? "user", text: text ?? "" }));
  },
});

export const titles = query({
  args: {},
  handler: async (ctx): Promise<string[]> => {
    const { page } = await ctx.runQuery(components.agent.threads.listThreadsByUserId, {
      userId: await caller(ctx),
      order: "desc",
      paginationOpts: { cursor: null, numItems: 10 },
    });
    return page.map(({ title }) => title ?? "");
  },
});
