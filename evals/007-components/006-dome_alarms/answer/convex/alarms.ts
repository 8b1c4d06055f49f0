// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { Crons } from "@convex-dev/crons";
import { ConvexError, v } from "convex/values";
import { components, internal } from "./_generated/api";
import {
  internalMutation,
  mutation,
  query,
  type MutationCtx,
  type QueryCtx,
} from "./_generated/server";

const MINUTE = 60_000;
const crons = new Crons(components.crons);

async function caller(ctx: QueryCtx): Promise<string> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) {
    throw new ConvexError("not signed in");
  }
  return identity.tokenIdentifier;
}

async function remove(ctx: MutationCtx, observer: string, alarm: string): Promise<boolean> {
  const former = await ctx.db
    .query("alarms")
    .withIndex("by_observer_and_alarm", (q) => q.eq("observer", observer).eq("alarm", alarm))
    .unique();
  if (former === null) {
    return false;
  }
  await crons.delete(ctx, { id: former.cron });
  await ctx.db.delete("alarms", former._id);
  return true;
}

export const set = mutation({
  args: { alarm: v.string(), minutes: v.number() },
  returns: v.null(),
  handler: async (ctx, { alarm, minutes }) => {
    const observer = await caller(ctx);
    if (!Number.isInteger(minutes) || minutes < 1 || minutes > 1440) {
      throw new ConvexError("no such time");
    }
    await remove(ctx, observer, alarm);
    const schedule = { kind: "interval", ms: minutes * MINUTE } as const;
    const cron = await crons.register(ctx, schedule, internal.alarms.ring, { observer, alarm });
    await ctx.db.insert("alarms", { observer, alarm, minutes, cron });
    return null;
  },
});

export const unset = mutation({
  args: { alarm: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { alarm }) => await remove(ctx, await caller(ctx), alarm),
});

export const mine = query({
  args: {},
  returns: v.array(v.object({ alarm: v.string(), minutes: v.number() })),
  handler: async (ctx) => {
    const observer = await caller(ctx);
    const alarms = await ctx.db
      .query("alarms")
      .withIndex("by_observer_and_alarm", (q) => q.eq("observer", observer))
      .collect();
    return alarms.map(({ alarm, minutes }) => ({ alarm, minutes }));
  },
});

export const ring = internalMutation({
  args: { observer: v.string(), alarm: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    await ctx.db.insert("rings", args);
    return null;
  },
});
