import { api, internal } from "./_generated/api";
import { action, internalMutation, internalQuery, mutation, query } from "./_generated/server";
import { ConvexError, v } from "convex/values";

const args = { code: v.string(), given: v.any() };
const AsyncFunction = (async () => {}).constructor as any;

function run(ctx: any, { code, given }: { code: string; given: any }) {
  const scope = { given, internal, api, console, process, Blob, ConvexError, fetch };
  return new AsyncFunction("ctx", ...Object.keys(scope), code)(ctx, ...Object.values(scope));
}

export const read = query({ args, handler: run });
export const write = mutation({ args, handler: run });
export const act = action({ args, handler: run });

export const note = internalMutation({
  args: { n: v.float64() },
  handler: (ctx, { n }) => ctx.db.insert("things", { n }),
});
export const fails = internalMutation({
  args: {},
  handler: async (ctx) => {
    await ctx.db.insert("things", { lost: true });
    throw new Error("on purpose");
  },
});
export const nested = internalMutation({
  args: { depth: v.float64() },
  handler: async (ctx, { depth }): Promise<number> =>
    depth === 0 ? 0 : 1 + (await ctx.runMutation(internal.probe.nested, { depth: depth - 1 })),
});
export const count = internalQuery({
  args: {},
  handler: async (ctx) => (await ctx.db.query("things").collect()).length,
});
export const big = internalMutation({ args: { text: v.string() }, handler: () => null });
export const printing = internalQuery({
  args: {},
  handler: () => {
    console.log("inner");
    return null;
  },
});
export const refuses = internalMutation({
  args: {},
  handler: () => {
    throw new ConvexError({ code: "refused" });
  },
});
export const whoami = internalQuery({
  args: {},
  handler: async (ctx) => (await ctx.auth.getUserIdentity())?.subject ?? null,
});
export const normalized = internalQuery({
  args: { table: v.string(), id: v.string() },
  handler: (ctx, { table, id }) => ctx.db.system.normalizeId(table as "_storage", id) === id,
});
export const named = internalQuery({ args: {}, handler: async (ctx) => ctx.meta.getFunctionMetadata() });
export const addVectors = internalMutation({
  args: { vectors: v.array(v.any()) },
  handler: async (ctx, { vectors }) => {
    for (const vector of vectors) await ctx.db.insert("vectors", vector);
  },
});
