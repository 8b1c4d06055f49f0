// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import { internalMutation, query, type MutationCtx } from "./_generated/server";
import { level as levels } from "./schema";

const alert = v.object({
  event: v.string(),
  volcano: v.string(),
  level: levels,
  sequence: v.number(),
});

export const receive = internalMutation({
  args: alert.fields,
  handler: async (ctx, args) => {
    const received = ctx.db.query("events").withIndex("by_event", (q) => q.eq("event", args.event));
    if ((await received.first()) !== null) {
      return "repeated" as const;
    }
    const [outcome] = await Promise.all([
      apply(ctx, args),
      ctx.db.insert("events", { event: args.event }),
    ]);
    return outcome;
  },
});

async function apply(ctx: MutationCtx, { volcano, level, sequence }: Infer<typeof alert>) {
  const known = await ctx.db
    .query("volcanoes")
    .withIndex("by_name", (q) => q.eq("name", volcano))
    .first();
  if (sequence <= (known?.sequence ?? -Infinity)) {
    return "outdated" as const;
  }
  if (known) {
    await ctx.db.replace("volcanoes", known._id, { name: volcano, level, sequence });
  } else {
    await ctx.db.insert("volcanoes", { name: volcano, level, sequence });
  }
  await ctx.db.insert("changes", { volcano, level, sequence });
  return "applied" as const;
}

export const level = query({
  args: { volcano: v.string() },
  returns: v.union(v.null(), v.object({ level: levels, sequence: v.number() })),
  handler: async (ctx, { volcano }) => {
    for await (const { level, sequence } of ctx.db
      .query("volcanoes")
      .withIndex("by_name", (q) => q.eq("name", volcano))) {
      return { level, sequence };
    }
    return null;
  },
});
