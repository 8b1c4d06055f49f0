// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { HOUR, MINUTE, RateLimiter } from "@convex-dev/rate-limiter";
import { ConvexError, v } from "convex/values";
import { components } from "./_generated/api";
import { internalMutation, mutation, query, type QueryCtx } from "./_generated/server";

const limits = new RateLimiter(components.rateLimiter, {
  own: { kind: "token bucket", rate: 3, period: HOUR, capacity: 4 },
  all: { kind: "fixed window", rate: 6, period: MINUTE, capacity: 6, start: 0 },
});

async function caller(ctx: QueryCtx): Promise<string> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) {
    throw new ConvexError("not signed in");
  }
  return identity.tokenIdentifier;
}

export const request = mutation({
  args: { target: v.string() },
  returns: v.union(
    v.object({ ok: v.literal(true), id: v.id("requests") }),
    v.object({
      ok: v.literal(false),
      limit: v.union(v.literal("own"), v.literal("all")),
      retryAfterS: v.number(),
    }),
  ),
  handler: async (ctx, { target }) => {
    const key = await caller(ctx);
    if (target.trim() === "") {
      throw new ConvexError("no target");
    }
    const own = await limits.check(ctx, "own", { key });
    if (!own.ok) {
      return { ok: false as const, limit: "own" as const, retryAfterS: seconds(own.retryAfter) };
    }
    const all = await limits.limit(ctx, "all");
    if (!all.ok) {
      return { ok: false as const, limit: "all" as const, retryAfterS: seconds(all.retryAfter) };
    }
    await limits.limit(ctx, "own", { key });
    const id = await ctx.db.insert("requests", { astronomer: key, target });
    return { ok: true as const, id };
  },
});

export const mayRequest = query({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => (await limits.check(ctx, "own", { key: await caller(ctx) })).ok,
});

export const forgive = internalMutation({
  args: { astronomer: v.string() },
  returns: v.null(),
  handler: async (ctx, { astronomer }) => {
    await limits.reset(ctx, "own", { key: astronomer });
    return null;
  },
});

function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}
