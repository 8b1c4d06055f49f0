// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { internalMutation, mutation, query, type QueryCtx } from "./_generated/server";
import { checkUntil, requireAgent } from "./model/agents";
import { chatRow, compareRows, row } from "./model/rows";

async function requireChat(ctx: QueryCtx, id: Id<"chats">) {
  const agent = await requireAgent(ctx);
  const chat = await ctx.db.get("chats", id);
  if (chat === null) throw new ConvexError("no such chat");
  return { agent, chat };
}

/** The open chats at a moment, without those that are snoozed until later. */
export const list = query({
  args: { now: v.number() },
  returns: v.array(row),
  handler: async (ctx, { now }) => {
    await requireAgent(ctx);
    const chats = await ctx.db
      .query("chats")
      .withIndex("by_status", (q) => q.eq("status", "open"))
      .collect();
    const shown = chats.filter(({ snooze }) => (snooze?.until ?? 0) <= now);
    return (await Promise.all(shown.map((chat) => chatRow(ctx, chat)))).sort(compareRows);
  },
});

/** A customer writes: in the open chat, or a new one. It ends a snooze. */
export const receive = internalMutation({
  args: { customer: v.id("customers"), text: v.string() },
  returns: v.id("chats"),
  handler: async (ctx, { customer, text }) => {
    const open = await ctx.db
      .query("chats")
      .withIndex("by_customer", (q) => q.eq("customer", customer).eq("status", "open"))
      .first();
    const lastMessageAt = Date.now();
    if (open !== null) {
      const unread = open.unread + 1;
      await ctx.db.patch("chats", open._id, { lastMessageAt, unread, snooze: undefined });
    }
    const chat =
      open?._id ??
      (await ctx.db.insert("chats", {
        customer,
        topic: text.slice(0, 40),
        status: "open",
        lastMessageAt,
        unread: 1,
        pinned: false,
        agent: null,
      }));
    await ctx.db.insert("messages", { chat, text });
    return chat;
  },
});

/** An agent answers, which ends a snooze, too. */
export const reply = mutation({
  args: { chat: v.id("chats"), text: v.string() },
  returns: v.null(),
  handler: async (ctx, { chat: id, text }) => {
    const { agent } = await requireChat(ctx, id);
    await ctx.db.insert("messages", { chat: id, text, agent: agent._id });
    const lastMessageAt = Date.now();
    await ctx.db.patch("chats", id, { lastMessageAt, unread: 0, snooze: undefined });
    return null;
  },
});

export const setStatus = mutation({
  args: { chat: v.id("chats"), status: v.union(v.literal("open"), v.literal("done")) },
  returns: v.null(),
  handler: async (ctx, { chat, status }) => {
    await requireChat(ctx, chat);
    await ctx.db.patch("chats", chat, { status });
    return null;
  },
});

export const pin = mutation({
  args: { chat: v.id("chats"), pinned: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { chat, pinned }) => {
    await requireChat(ctx, chat);
    await ctx.db.patch("chats", chat, { pinned });
    return null;
  },
});

export const take = mutation({
  args: { chat: v.id("chats"), mine: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { chat, mine }) => {
    const { agent } = await requireChat(ctx, chat);
    await ctx.db.patch("chats", chat, { agent: mine ? agent._id : null });
    return null;
  },
});

export const snooze = mutation({
  args: { chat: v.id("chats"), until: v.number() },
  returns: v.null(),
  handler: async (ctx, { chat, until }) => {
    const { agent } = await requireChat(ctx, chat);
    checkUntil(until);
    await ctx.db.patch("chats", chat, { snooze: { until, by: agent._id } });
    return null;
  },
});
