import { ActionRetrier, runIdValidator, runResultValidator } from "@convex-dev/action-retrier";
import { TableAggregate } from "@convex-dev/aggregate";
import { Crons } from "@convex-dev/crons";
import { Migrations } from "@convex-dev/migrations";
import { MINUTE, RateLimiter } from "@convex-dev/rate-limiter";
import { ShardedCounter } from "@convex-dev/sharded-counter";
import { vOnCompleteValidator, Workpool } from "@convex-dev/workpool";
import { v } from "convex/values";

import { components, internal } from "./_generated/api";
import type { DataModel } from "./_generated/dataModel";
import { internalAction, internalMutation, mutation, query } from "./_generated/server";

const scores = new TableAggregate<{ Key: number; DataModel: DataModel; TableName: "scores" }>(
  components.byScore,
  { sortKey: (doc) => doc.score, sumValue: (doc) => doc.score },
);
const limiter = new RateLimiter(components.rateLimiter, {
  send: { kind: "token bucket", rate: 1, period: MINUTE, capacity: 2 },
});
const counter = new ShardedCounter(components.shardedCounter, { defaultShards: 3 });
const pool = new Workpool(components.workpool, { maxParallelism: 2 });
const retrier = new ActionRetrier(components.actionRetrier, { initialBackoffMs: 100 });
const crons = new Crons(components.crons);
const migrations = new Migrations<DataModel>(components.migrations);

export const addScore = mutation({
  args: { name: v.string(), score: v.number() },
  handler: async (ctx, args) => {
    const id = await ctx.db.insert("scores", args);
    const doc = await ctx.db.get(id);
    await scores.insert(ctx, doc!);
  },
});

export const summary = query({
  args: {},
  handler: async (ctx) => {
    const best = await scores.max(ctx);
    return { count: await scores.count(ctx), sum: await scores.sum(ctx), best: best?.key ?? null };
  },
});

export const send = mutation({
  args: { key: v.string() },
  handler: async (ctx, { key }) => (await limiter.limit(ctx, "send", { key })).ok,
});

export const count = mutation({
  args: { by: v.number() },
  handler: async (ctx, { by }) => {
    for (let n = 0; n < by; n++) await counter.inc(ctx, "clicks");
  },
});

export const counted = query({
  args: {},
  handler: async (ctx) => counter.count(ctx, "clicks"),
});

export const note = internalMutation({
  args: { text: v.string() },
  handler: async (ctx, { text }) => {
    await ctx.db.insert("lines", { text });
  },
});

export const lines = query({
  args: {},
  handler: async (ctx) => (await ctx.db.query("lines").collect()).map(({ text }) => text),
});

export const work = internalAction({
  args: { text: v.string() },
  handler: async (ctx, { text }) => {
    await ctx.runMutation(internal.app.note, { text });
    return text.length;
  },
});

export const worked = internalMutation({
  args: vOnCompleteValidator(v.object({ text: v.string() })),
  handler: async (ctx, { context, result }) => {
    await ctx.db.insert("lines", { text: `${context.text}: ${result.kind}` });
  },
});

export const enqueue = mutation({
  args: { texts: v.array(v.string()) },
  handler: async (ctx, { texts }) => {
    for (const text of texts) {
      const options = { onComplete: internal.app.worked, context: { text } };
      await pool.enqueueAction(ctx, internal.app.work, { text }, options);
    }
  },
});

export const fragile = internalAction({
  args: {},
  handler: async (ctx): Promise<void> => {
    const count: number = await ctx.runMutation(internal.app.attempt, {});
    if (count < 3) throw new Error("not yet");
  },
});

export const attempt = internalMutation({
  args: {},
  handler: async (ctx) => {
    await ctx.db.insert("lines", { text: "attempt" });
    return (await ctx.db.query("lines").collect()).length;
  },
});

export const retried = internalMutation({
  args: { runId: runIdValidator, result: runResultValidator },
  handler: async (ctx, { result }) => {
    await ctx.db.insert("lines", { text: result.type });
  },
});

export const retry = mutation({
  args: {},
  handler: async (ctx): Promise<void> => {
    await retrier.run(ctx, internal.app.fragile, {}, { onComplete: internal.app.retried });
  },
});

export const register = mutation({
  args: {},
  handler: async (ctx): Promise<void> => {
    const schedule = { kind: "interval", ms: 60_000 } as const;
    await crons.register(ctx, schedule, internal.app.note, { text: "tick" }, "every minute");
  },
});

export const markSeen = migrations.define({
  table: "scores",
  migrateOne: () => ({ seen: true }),
});

export const migrate = mutation({
  args: {},
  handler: async (ctx) => {
    await migrations.runOne(ctx, internal.app.markSeen);
  },
});

export const seen = query({
  args: {},
  handler: async (ctx) => (await ctx.db.query("scores").collect()).map((row) => row.seen ?? false),
});
