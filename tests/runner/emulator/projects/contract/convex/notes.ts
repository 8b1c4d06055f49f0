import { ConvexError, v } from "convex/values";
import { api, internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { action, internalMutation, internalQuery, mutation, query } from "./_generated/server";

let runs = 0;

export const add = mutation({
  args: { text: v.string(), rank: v.number() },
  returns: v.id("notes"),
  handler: (ctx, args) => ctx.db.insert("notes", args),
});

export const list = query({
  args: {},
  handler: (ctx) => ctx.db.query("notes").withIndex("by_rank").collect(),
});

export const lowest = query({
  args: { count: v.number() },
  handler: (ctx, { count }) => ctx.db.query("notes").withIndex("by_rank").take(count),
});

export const even = query({
  args: { size: v.number(), cursor: v.union(v.string(), v.null()) },
  handler: (ctx, { size, cursor }) =>
    ctx.db
      .query("notes")
      .withIndex("by_rank")
      .filter((q) => q.eq(q.mod(q.field("rank"), 2), 0))
      .paginate({ numItems: size, cursor }),
});

export const search = query({
  args: { words: v.string(), rank: v.number() },
  handler: (ctx, { words, rank }) =>
    ctx.db
      .query("notes")
      .withSearchIndex("by_text", (q) => q.search("text", words).eq("rank", rank))
      .take(10),
});

export const secret = internalQuery({ args: {}, handler: async () => "secret" });

export const store = internalMutation({
  args: { text: v.string() },
  handler: async (ctx, { text }) => {
    await ctx.db.insert("notes", { text, rank: Date.now() });
  },
});

export const untyped = mutation({
  args: { rank: v.any() },
  handler: async (ctx, { rank }) => {
    await ctx.db.insert("notes", { text: "kept only if it fits", rank: 1 });
    await ctx.db.insert("notes", { text: "untyped", rank });
  },
});

export const wrongReturn = query({ args: {}, returns: v.string(), handler: () => 5 as never });

export const logged = query({
  args: {},
  handler: () => {
    console.log("hello", 7);
    console.warn({ a: [1] });
    return null;
  },
});

export const crash = query({
  args: {},
  handler: () => {
    throw new Error("something broke");
  },
});

export const refuse = mutation({
  args: {},
  handler: async (ctx) => {
    await ctx.db.insert("notes", { text: "rolled back", rank: 0 });
    throw new ConvexError({ code: 7n, why: "because" });
  },
});

export const catching = mutation({
  args: {},
  handler: async (ctx) => {
    await ctx.db.insert("notes", { text: "kept", rank: 0 });
    try {
      await ctx.runMutation(api.notes.refuse, {});
    } catch (error) {
      return error instanceof ConvexError ? error.data : "not a ConvexError";
    }
    return null;
  },
});

export const countRuns = query({ args: {}, handler: () => ++runs });

export const globals = query({
  args: {},
  handler: () => {
    const outside = globalThis as Record<string, unknown>;
    const names = ["Buffer", "require", "setImmediate", "__dirname", "global"];
    return names.filter((name) => outside[name] !== undefined);
  },
});

export const fetching = mutation({
  args: {},
  handler: async () => {
    await fetch("https://example.test/");
  },
});

export const pages = query({
  args: {},
  handler: async (ctx) => {
    await ctx.db.query("notes").paginate({ numItems: 1, cursor: null });
    await ctx.db.query("notes").paginate({ numItems: 1, cursor: null });
  },
});

export const throughAction = action({
  args: { text: v.string() },
  handler: async (ctx, { text }): Promise<number> => {
    await ctx.runMutation(internal.notes.store, { text });
    return (await ctx.runQuery(api.notes.list, {})).length;
  },
});

export const sleepy = action({
  args: { ms: v.number() },
  handler: async (_ctx, { ms }) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return "woke up";
  },
});

export const later = mutation({
  args: { ms: v.number(), text: v.string() },
  handler: (ctx, { ms, text }): Promise<Id<"_scheduled_functions">> =>
    ctx.scheduler.runAfter(ms, internal.notes.store, { text }),
});

export const laterRefused = mutation({
  args: {},
  handler: async (ctx) => {
    await ctx.scheduler.runAfter(0, internal.notes.store, { text: "never" });
    throw new Error("rolled back");
  },
});

export const laterCrash = mutation({
  args: {},
  handler: (ctx): Promise<Id<"_scheduled_functions">> =>
    ctx.scheduler.runAfter(0, api.notes.refuse, {}),
});

export const cancel = mutation({
  args: { id: v.id("_scheduled_functions") },
  handler: (ctx, { id }) => ctx.scheduler.cancel(id),
});

export const asks = action({
  args: { url: v.string() },
  handler: async (_ctx, { url }) => {
    try {
      const response = await fetch(url, { method: "POST", body: "ping" });
      return { status: response.status, body: await response.text() };
    } catch (error) {
      return { status: 0, body: (error as Error).message };
    }
  },
});

export const asksThroughAnother = action({
  args: { url: v.string() },
  handler: (ctx, args): Promise<{ status: number; body: string }> =>
    ctx.runAction(api.notes.asks, args),
});

export const environment = query({
  args: { name: v.string() },
  handler: (_ctx, { name }) => process.env[name] ?? null,
});

export const whoami = query({ args: {}, handler: (ctx) => ctx.auth.getUserIdentity() });

export const nearest = action({
  args: { vector: v.array(v.float64()) },
  handler: (ctx, { vector }) => ctx.vectorSearch("samples", "by_vector", { vector, limit: 1 }),
});

export const readAll = query({
  args: {},
  handler: async (ctx) => {
    const found = await ctx.db
      .query("anything")
      .filter((q) => q.eq(q.field("wanted"), true))
      .collect();
    return found.length;
  },
});
