import { Agent, createThread, createTool, listMessages, mockModel, saveMessage } from "@convex-dev/agent";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { v } from "convex/values";
import { z } from "zod";

import { components } from "./_generated/api";
import { action, mutation, query } from "./_generated/server";

const weather = createTool({
  description: "Tells the weather of a town.",
  inputSchema: z.object({ town: z.string() }),
  execute: async (_ctx, { town }): Promise<string> => `It rains in ${town}.`,
});

const guide = new Agent(components.agent, {
  name: "guide",
  languageModel: mockModel({
    contentSteps: [
      [
        {
          type: "tool-call",
          toolCallId: "first",
          toolName: "weather",
          input: JSON.stringify({ town: "Bergen" }),
        },
      ],
      [{ type: "text", text: "Take an umbrella." }],
    ],
  }),
  instructions: "Answer in one sentence.",
  tools: { weather },
  stopWhen: stepCountIs(3),
});

export const begin = mutation({
  args: { userId: v.string(), title: v.string() },
  handler: async (ctx, args) => await createThread(ctx, components.agent, args),
});

export const write = mutation({
  args: { threadId: v.string(), text: v.string() },
  handler: async (ctx, { threadId, text }) => {
    const { messageId } = await saveMessage(ctx, components.agent, { threadId, prompt: text });
    return messageId;
  },
});

export const reply = action({
  args: { threadId: v.string(), promptMessageId: v.string() },
  handler: async (ctx, { threadId, promptMessageId }) => {
    const { thread } = await guide.continueThread(ctx, { threadId });
    const { text } = await thread.generateText({ promptMessageId });
    return text;
  },
});

export const messages = query({
  args: { threadId: v.string() },
  handler: async (ctx, { threadId }) => {
    const { page } = await listMessages(ctx, components.agent, {
      threadId,
      paginationOpts: { cursor: null, numItems: 20 },
    });
    return page.map(({ message, text, agentName }) => ({
      role: message?.role ?? null,
      text: text ?? null,
      agent: agentName ?? null,
    }));
  },
});

export const titles = query({
  args: { userId: v.string() },
  handler: async (ctx, { userId }): Promise<(string | null)[]> => {
    const threads = await ctx.runQuery(components.agent.threads.listThreadsByUserId, {
      userId,
      paginationOpts: { cursor: null, numItems: 20 },
    });
    return threads.page.map(({ title }) => title ?? null);
  },
});

export const alone = action({
  args: { prompt: v.string() },
  handler: async (_ctx, { prompt }) => {
    const model = new MockLanguageModelV4({
      doGenerate: async ({ prompt: asked }) => ({
        content: [{ type: "text", text: JSON.stringify(asked.at(-1)?.content) }],
        finishReason: { unified: "stop", raw: "stop" },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      }),
    });
    const { text } = await generateText({ model, prompt });
    return z.array(z.object({ type: z.literal("text"), text: z.string() })).parse(JSON.parse(text));
  },
});

/** Asks a model of each provider by its package; the key is no real one. */
export const provided = action({
  args: { provider: v.union(v.literal("anthropic"), v.literal("google"), v.literal("openai")) },
  handler: async (_ctx, { provider }) => {
    const model = {
      anthropic: () => createAnthropic({ apiKey: "none" })("claude"),
      google: () => createGoogleGenerativeAI({ apiKey: "none" })("gemini"),
      openai: () => createOpenAI({ apiKey: "none" })("gpt"),
    }[provider]();
    const { text } = await generateText({ model, prompt: "Hello?", maxRetries: 0 });
    return text;
  },
});
