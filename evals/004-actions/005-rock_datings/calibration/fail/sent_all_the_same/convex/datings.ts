// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v, type Infer } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc, Id } from "./_generated/dataModel";
import {
  internalAction,
  internalMutation,
  internalQuery,
  mutation,
  query,
  type MutationCtx,
  type QueryCtx,
} from "./_generated/server";
import { outcome } from "./schema";

type Outcome = Infer<typeof outcome>;

const LABORATORY = "https://lab.datings.test/orders";
const DELAY_MS = 10 * 60 * 1000;
const NO_ANSWER: Outcome = { state: "failed", reason: "no answer" };

export const order = mutation({
  args: { sample: v.string(), grams: v.number() },
  returns: v.id("datings"),
  handler: async (ctx, { sample, grams }) => {
    const id = await ctx.db.insert("datings", { sample, grams, outcome: { state: "waiting" } });
    await askLater(ctx, id);
    return id;
  },
});

export const withdraw = mutation({
  args: { dating: v.id("datings") },
  returns: v.boolean(),
  handler: async (ctx, { dating }) => {
    const { outcome } = await existing(ctx, dating);
    if (outcome.state !== "waiting") {
      return false;
    }
    await ctx.db.patch("datings", dating, { outcome: { state: "withdrawn" } });
    return true;
  },
});

export const reorder = mutation({
  args: { dating: v.id("datings") },
  returns: v.boolean(),
  handler: async (ctx, { dating }) => {
    const { outcome } = await existing(ctx, dating);
    if (outcome.state !== "failed") {
      return false;
    }
    await ctx.db.patch("datings", dating, { outcome: { state: "waiting" } });
    await askLater(ctx, dating);
    return true;
  },
});

export const get = query({
  args: { dating: v.id("datings") },
  returns: v.object({ sample: v.string(), grams: v.number(), outcome }),
  handler: async (ctx, { dating }) => {
    const { sample, grams, outcome } = await existing(ctx, dating);
    return { sample, grams, outcome };
  },
});

export const ask = internalAction({
  args: { dating: v.id("datings") },
  returns: v.null(),
  handler: async (ctx, { dating }) => {
    const order = await ctx.runQuery(internal.datings.waiting, { dating });
    if (order !== null) {
      const outcome = await askLaboratory(order);
      await ctx.runMutation(internal.datings.report, { dating, outcome });
    }
    return null;
  },
});

export const waiting = internalQuery({
  args: { dating: v.id("datings") },
  returns: v.nullable(v.object({ sample: v.string(), grams: v.number() })),
  handler: async (ctx, { dating }) => {
    const found = await ctx.db.get("datings", dating);
    return found && { sample: found.sample, grams: found.grams };
  },
});

/** Counts only while the dating waits: it may have been withdrawn during the request. */
export const report = internalMutation({
  args: { dating: v.id("datings"), outcome },
  returns: v.null(),
  handler: async (ctx, { dating, outcome }) => {
    const found = await ctx.db.get("datings", dating);
    if (found !== null) {
      await ctx.db.patch("datings", dating, { outcome });
    }
    return null;
  },
});

async function askLater(ctx: MutationCtx, dating: Id<"datings">): Promise<void> {
  const asking = await ctx.scheduler.runAfter(DELAY_MS, internal.datings.ask, { dating });
  await ctx.db.patch("datings", dating, { asking });
}

async function existing(ctx: QueryCtx, id: Id<"datings">): Promise<Doc<"datings">> {
  const found = await ctx.db.get("datings", id);
  if (found === null) {
    throw new ConvexError("no such dating");
  }
  return found;
}

async function askLaboratory(order: { sample: string; grams: number }): Promise<Outcome> {
  try {
    const reply = await fetch(LABORATORY, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(order),
    });
    const said = (await reply.json()) as { ageMa?: unknown; reason?: unknown } | null;
    if (reply.status === 200 && typeof said?.ageMa === "number") {
      return { state: "dated", ageMa: said.ageMa };
    }
    if (reply.status === 422 && typeof said?.reason === "string") {
      return { state: "failed", reason: said.reason };
    }
    return NO_ANSWER;
  } catch {
    return NO_ANSWER;
  }
}
