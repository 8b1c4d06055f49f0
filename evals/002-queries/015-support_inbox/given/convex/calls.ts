// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { internalMutation, mutation, query, type QueryCtx } from "./_generated/server";
import { checkUntil, requireAgent } from "./model/agents";
import { callRow, compareRows, row } from "./model/rows";

async function requireCall(ctx: QueryCtx, id: Id<"calls">) {
  await requireAgent(ctx);
  const call = await ctx.db.get("calls", id);
  if (call === null) throw new ConvexError("no such call");
  return call;
}

/** The calls that ended and nobody has handled, without those to be reminded of later. */
export const list = query({
  args: { now: v.number() },
  returns: v.array(row),
  handler: async (ctx, { now }) => {
    await requireAgent(ctx);
    const calls = await ctx.db
      .query("calls")
      .withIndex("by_handled", (q) => q.eq("handled", false))
      .collect();
    const rows = [];
    for (const { endedAt, ...call } of calls)
      if (endedAt !== undefined && (call.remindAt ?? 0) <= now)
        rows.push(await callRow(ctx, { ...call, endedAt }));
    return rows.sort(compareRows);
  },
});

/** The telephone system tells of each call twice: when it begins, and when it ends. */
export const report = internalMutation({
  args: { number: v.string(), ended: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { number, ended }) => {
    const present = await ctx.db
      .query("calls")
      .withIndex("by_number", (q) => q.eq("number", number).eq("endedAt", undefined))
      .first();
    if (ended) {
      if (present !== null) await ctx.db.patch("calls", present._id, { endedAt: Date.now() });
      return null;
    }
    const customer = await ctx.db
      .query("customers")
      .withIndex("by_phone", (q) => q.eq("phone", number))
      .first();
    await ctx.db.insert("calls", {
      number,
      customer: customer?._id,
      handled: false,
      heard: false,
      remindAt: null,
    });
    return null;
  },
});

export const handle = mutation({
  args: { call: v.id("calls"), handled: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { call, handled }) => {
    await requireCall(ctx, call);
    await ctx.db.patch("calls", call, { handled, heard: true });
    return null;
  },
});

export const star = mutation({
  args: { call: v.id("calls"), starred: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { call, starred }) => {
    await requireCall(ctx, call);
    await ctx.db.patch("calls", call, { starred: starred ? true : undefined });
    return null;
  },
});

export const assign = mutation({
  args: { call: v.id("calls"), agent: v.optional(v.id("agents")) },
  returns: v.null(),
  handler: async (ctx, { call, agent }) => {
    await requireCall(ctx, call);
    await ctx.db.patch("calls", call, { agent });
    return null;
  },
});

export const remind = mutation({
  args: { call: v.id("calls"), at: v.union(v.number(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { call, at }) => {
    await requireCall(ctx, call);
    if (at !== null) checkUntil(at);
    await ctx.db.patch("calls", call, { remindAt: at });
    return null;
  },
});
