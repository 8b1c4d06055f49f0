// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { MutationCtx } from "./_generated/server";
import { internalMutation, query } from "./_generated/server";

const levels = v.union(...(["green", "yellow", "orange", "red"] as const).map((one) => v.literal(one)));

async function isNew(ctx: MutationCtx, event: string) {
  const [before] = await ctx.db
    .query("events")
    .withIndex("by_text", (q) => q.eq("event", event))
    .take(1);
  if (before) return false;
  await ctx.db.insert("events", { event });
  return true;
}

export const receive = internalMutation({
  args: { event: v.string(), volcano: v.string(), level: levels, sequence: v.number() },
  handler: async (ctx, { event, volcano: name, ...change }) => {
    if (!(await isNew(ctx, event))) return "repeated";
    const newest = await ctx.db
      .query("volcanoes")
      .withIndex("by_name_and_sequence", (q) => q.eq("name", name))
      .order("desc")
      .first();
    if (newest && change.sequence <= newest.sequence) return "outdated";
    if (newest) await ctx.db.delete(newest._id);
    await ctx.db.insert("volcanoes", { name, ...change });
    await ctx.db.insert("changes", { volcano: name, ...change });
    return "applied";
  },
});

export const level = query({
  args: { volcano: v.string() },
  handler: async (ctx, args) => {
    const found = await ctx.db
      .query("volcanoes")
      .withIndex("by_name_and_sequence", (q) => q.eq("name", args.volcano))
      .first();
    return found ? { level: found.level, sequence: found.sequence } : null;
  },
});
