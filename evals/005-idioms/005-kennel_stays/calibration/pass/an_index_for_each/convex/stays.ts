// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { query, type QueryCtx } from "./_generated/server";

type State = Doc<"stays">["state"];

function ofKennel(ctx: QueryCtx, kennel: string, state: State, after = -Infinity, before?: number) {
  return ctx.db.query("stays").withIndex("state_then_kennel", (q) => {
    const later = q.eq("state", state).eq("kennel", kennel).gte("from", after);
    return before === undefined ? later : later.lt("from", before);
  });
}

function ofRun(ctx: QueryCtx, kennel: string, state: State, run: string | undefined) {
  return ctx.db
    .query("stays")
    .withIndex("run_then_rest", (q) => q.eq("run", run).eq("kennel", kennel).eq("state", state));
}

const limits = new Set(Array.from({ length: 100 }, (_, n) => n + 1));

export const inHouse = query({
  args: { kennel: v.string(), limit: v.number() },
  handler: (ctx, args) => {
    if (!limits.has(args.limit)) throw new ConvexError("bad limit");
    return ofKennel(ctx, args.kennel, "boarding").take(args.limit);
  },
});

export const arrivals = query({
  args: { kennel: v.string(), after: v.number(), before: v.number() },
  handler: (ctx, args) => ofKennel(ctx, args.kennel, "booked", args.after, args.before).take(10),
});

export const ofDog = query({
  args: { chip: v.string(), kennel: v.optional(v.string()) },
  handler: (ctx, { chip, kennel }) => {
    if (kennel === undefined) {
      const anywhere = ctx.db.query("stays").withIndex("dog", (q) => q.eq("chip", chip));
      return anywhere.order("desc").take(10);
    }
    return ctx.db
      .query("stays")
      .withIndex("kennel_and_dog", (q) => q.eq("kennel", kennel).eq("chip", chip))
      .order("desc")
      .take(10);
  },
});

export const lastIn = query({
  args: { kennel: v.string(), run: v.string() },
  handler: async (ctx, { kennel, run }) => {
    const [last] = await ofRun(ctx, kennel, "left", run).order("desc").take(1);
    return last ?? null;
  },
});

export const unassigned = query({
  args: { kennel: v.string() },
  handler: (ctx, { kennel }) => ofRun(ctx, kennel, "booked", undefined).take(10),
});
