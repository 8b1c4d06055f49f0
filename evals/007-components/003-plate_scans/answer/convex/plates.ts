// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { vOnCompleteValidator, type WorkId, Workpool } from "@convex-dev/workpool";
import { v } from "convex/values";
import { components, internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { internalAction, internalMutation, mutation, query } from "./_generated/server";

const scanners = new Workpool(components.workpool, {
  maxParallelism: 3,
  retryActionsByDefault: true,
  defaultRetryBehavior: { maxAttempts: 4, initialBackoffMs: 1000, base: 3 },
});

export const submit = mutation({
  args: { names: v.array(v.string()) },
  returns: v.array(v.id("plates")),
  handler: async (ctx, { names }): Promise<Id<"plates">[]> => {
    const plates: Id<"plates">[] = [];
    for (const name of names) {
      const plate = await ctx.db.insert("plates", { name, state: "waiting" });
      const options = { onComplete: internal.plates.ended, context: { plate } };
      const work = await scanners.enqueueAction(ctx, internal.plates.scan, { name }, options);
      await ctx.db.patch("plates", plate, { work });
      plates.push(plate);
    }
    return plates;
  },
});

export const scan = internalAction({
  args: { name: v.string() },
  returns: v.number(),
  handler: async (_ctx, { name }) => {
    const reply = await fetch(`https://scanner.sky.test/plates/${encodeURIComponent(name)}`);
    if (reply.status !== 200) {
      throw new Error(`The scanner answered ${reply.status}`);
    }
    const body = (await reply.json()) as { stars?: unknown } | null;
    if (typeof body?.stars !== "number") {
      throw new Error("The scanner counted no stars");
    }
    return body.stars;
  },
});

export const ended = internalMutation({
  args: vOnCompleteValidator(v.object({ plate: v.id("plates") })),
  handler: async (ctx, { context, result }) => {
    const plate = await ctx.db.get("plates", context.plate);
    if (plate?.state !== "waiting") {
      return;
    }
    if (result.kind === "success") {
      const stars = result.returnValue as number;
      await ctx.db.patch("plates", plate._id, { state: "scanned", stars });
    } else if (result.kind === "failed") {
      await ctx.db.patch("plates", plate._id, { state: "failed" });
    }
  },
});

export const stop = mutation({
  args: { plate: v.id("plates") },
  returns: v.boolean(),
  handler: async (ctx, args) => {
    const plate = await ctx.db.get("plates", args.plate);
    if (plate?.state !== "waiting") {
      return false;
    }
    await ctx.db.patch("plates", plate._id, { state: "stopped" });
    if (plate.work !== undefined) {
      await scanners.cancel(ctx, plate.work as WorkId);
    }
    return true;
  },
});

export const report = query({
  args: {},
  handler: async (ctx) => {
    const plates = await ctx.db.query("plates").order("desc").take(50);
    return plates.map(({ name, state, stars }) => ({ name, state, stars: stars ?? null }));
  },
});
