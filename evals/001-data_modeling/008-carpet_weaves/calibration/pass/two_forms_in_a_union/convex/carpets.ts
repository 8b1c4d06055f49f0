// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { internalMutation, mutation, query, type QueryCtx } from "./_generated/server";
import { size, weave } from "./schema";

const id = v.id("carpets");
const width = v.union(size, v.number());
const view = v.object({ carpet: id, knotter: v.string(), weave, width: size });

function measure(given: Infer<typeof width>): Infer<typeof size> {
  return typeof given === "object" ? given : { value: given, unit: "cm" };
}

function view_({ _id, knotter, weave, width }: Doc<"carpets">): Infer<typeof view> {
  return { carpet: _id, knotter, weave: weave ?? "pile", width: measure(width) };
}

function inForm(ctx: QueryCtx, state: Infer<typeof weave> | undefined) {
  return ctx.db.query("carpets").withIndex("weave", (q) => q.eq("weave", state));
}

export const add = mutation({
  args: { knotter: v.string(), weave: v.optional(weave), width },
  returns: id,
  handler: async (ctx, { knotter, weave = "pile", width }) =>
    await ctx.db.insert("carpets", { knotter, weave, width: measure(width) }),
});

export const get = query({
  args: { carpet: id },
  returns: v.nullable(view),
  handler: async (ctx, args) => {
    const stored = await ctx.db.get("carpets", args.carpet);
    return stored ? view_(stored) : null;
  },
});

export const ofWeave = query({
  args: { weave },
  returns: v.array(view),
  handler: async (ctx, args) => {
    const stored = await inForm(ctx, args.weave).take(10);
    if (args.weave === "pile") stored.push(...(await inForm(ctx, undefined).take(10)));
    stored.sort((one, other) => one._creationTime - other._creationTime);
    return stored.slice(0, 10).map((carpet) => view_(carpet));
  },
});

export const resize = mutation({
  args: { carpet: id, width },
  returns: v.boolean(),
  handler: async (ctx, args) => {
    const stored = await ctx.db.get("carpets", args.carpet);
    if (!stored) return false;
    const { carpet, ...fields } = view_(stored);
    await ctx.db.replace("carpets", carpet, { ...fields, width: measure(args.width) });
    return true;
  },
});

export const upgrade = internalMutation({
  args: {},
  returns: v.number(),
  handler: async (ctx) => {
    const batch = await inForm(ctx, undefined).take(50);
    await Promise.all(
      batch.map(async (stored) => {
        const { carpet, ...fields } = view_(stored);
        await ctx.db.replace("carpets", carpet, fields);
      }),
    );
    return batch.length;
  },
});
