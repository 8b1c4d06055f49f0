// Functions whose arguments or results are validated.

import { mutation, query } from "./_generated/server";
import { v } from "convex/values";

export const object = query({
  args: { alpha: v.string(), zeta: v.optional(v.int64()) },
  handler: (_ctx, args) => args,
});
export const choice = query({
  args: { value: v.union(v.literal("a"), v.literal("b"), v.null()) },
  handler: (_ctx, { value }) => value,
});
export const literal = query({
  args: { value: v.literal("a") },
  handler: (_ctx, { value }) => value,
});
export const nested = query({
  args: { list: v.array(v.object({ n: v.number() })) },
  handler: (_ctx, { list }) => list.length,
});
export const table = query({
  args: { counts: v.record(v.string(), v.number()) },
  handler: (_ctx, { counts }) => Object.keys(counts),
});
export const note = query({
  args: { id: v.id("notes") },
  handler: async (ctx, { id }) => (await ctx.db.get(id))?.rank ?? null,
});
export const bytes = query({
  args: { value: v.bytes() },
  handler: (_ctx, { value }) => value.byteLength,
});
export const anything = query({ args: { value: v.any() }, handler: (_ctx, { value }) => value });
export const unchecked = query((_ctx, args: any) => args);
export const nothing = query({ args: {}, handler: () => undefined });
export const promised = query({
  args: { value: v.any() },
  returns: v.object({ n: v.number() }),
  handler: (_ctx, { value }) => value,
});
export const stamped = mutation({
  args: {},
  returns: v.object({ at: v.commitTs() }),
  handler: (ctx) => ({ at: ctx.db.vars.commitTs }),
});
export const spaced = query({
  args: {},
  returns: v.object({ "a b": v.number() }),
  handler: () => ({ "a b": 1 }),
});
export const none = query({ args: {}, returns: v.null(), handler: () => {} });
export const insert = mutation({
  args: { row: v.any() },
  handler: async (ctx, { row }) => {
    await ctx.db.insert("strict", row);
  },
});
