// What functions have in their global scope: code of a module, not of `probe.ts`.

import { action, mutation, query } from "./_generated/server";
import { internal } from "./_generated/api";
import { createFunctionHandle } from "convex/server";
import { v } from "convex/values";

declare const Buffer: unknown;

let calls = 0;

export const state = query({ args: {}, handler: () => (calls += 1) });
export const frozen = query({
  args: {},
  handler: async (ctx) => {
    const before = Date.now();
    await ctx.db.query("notes").collect();
    for (let n = 0, sum = 0; n < 3e6; n++) sum += n;
    return Date.now() === before && new Date().getTime() === before;
  },
});
export const standard = query({
  args: {},
  handler: () => {
    const types = {
      AbortController: typeof AbortController,
      AbortSignal: typeof AbortSignal,
      Blob: typeof Blob,
      Event: typeof Event,
      EventTarget: typeof EventTarget,
      File: typeof File,
      FormData: typeof FormData,
      Headers: typeof Headers,
      ReadableStream: typeof ReadableStream,
      Request: typeof Request,
      Response: typeof Response,
      TextDecoder: typeof TextDecoder,
      TextEncoder: typeof TextEncoder,
      TransformStream: typeof TransformStream,
      URL: typeof URL,
      URLSearchParams: typeof URLSearchParams,
      WritableStream: typeof WritableStream,
      atob: typeof atob,
      btoa: typeof btoa,
      fetch: typeof fetch,
      structuredClone: typeof structuredClone,
    };
    return Object.entries(types)
      .filter(([, type]) => type !== "function")
      .map(([name]) => name);
  },
});
export const inherited = query({
  args: {},
  handler: () => typeof (globalThis as any).addEventListener,
});
export const node = query({
  args: {},
  handler: () => [typeof Buffer, typeof (globalThis as any).module],
});
export const random = query({
  args: {},
  handler: () => {
    const [one, other] = [Math.random(), Math.random()];
    return one >= 0 && one < 1 && one !== other;
  },
});
export const uuid = mutation({ args: {}, handler: () => crypto.randomUUID().length });
export const digest = query({
  args: {},
  handler: async () => {
    const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode("abc"));
    return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  },
});
export const encoded = query({
  args: {},
  handler: () => [btoa("abc"), atob("YWJj"), new URL("a?b=1", "https://x.test/").href],
});
export const cloned = query({
  args: {},
  handler: () => structuredClone({ a: [1, { b: 2 }] }).a[1],
});
export const fetching = query({
  args: {},
  handler: async () => (await fetch("https://x.test/")).status,
});
export const fetchingMutation = mutation({
  args: {},
  handler: async () => (await fetch("https://x.test/")).status,
});
export const waiting = query({
  args: {},
  handler: () => new Promise((resolve) => setTimeout(resolve, 1)),
});
export const interval = mutation({
  args: {},
  handler: () => {
    setInterval(() => {}, 1);
  },
});
export const sleeping = action({
  args: {},
  handler: async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return "awake";
  },
});
export const dangling = mutation({
  args: {},
  handler: async (ctx) => {
    void ctx.db.insert("things", { a: 1 });
    return null;
  },
});
export const printing = query({
  args: {},
  handler: async (ctx): Promise<null> => {
    console.log("outer");
    await ctx.runQuery(internal.probe.printing, {});
    return null;
  },
});
export const throwsText = query({
  args: {},
  handler: () => {
    throw "only text";
  },
});
export const throwsTyped = query({
  args: {},
  handler: () => {
    throw new RangeError("too far");
  },
});
export const handle = mutation({
  args: {},
  handler: async (ctx): Promise<unknown> => {
    const handle = await createFunctionHandle(internal.probe.note);
    await ctx.runMutation(handle, { n: 1 });
    await ctx.scheduler.runAfter(0, handle, { n: 2 });
    return handle.startsWith("function://");
  },
});
export const dynamic = query({
  args: {},
  handler: async () => typeof (await import("./checked")).object,
});
export const dynamicInMutation = mutation({
  args: {},
  handler: async () => typeof (await import("./checked")).object,
});
export const dynamicInAction = action({
  args: {},
  handler: async () => typeof (await import("./checked")).object,
});
export const dynamicCaught = query({
  args: {},
  handler: async () => {
    try {
      await import("./checked");
    } catch (error: any) {
      return `${error.name}: ${error.message}`;
    }
  },
});
export const throwsInTimer = action({
  args: {},
  handler: async () => {
    setTimeout(() => {
      throw new Error("in a timer");
    }, 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
  },
});
export const codeInTimer = action({
  args: {},
  handler: async () => {
    setTimeout("1 + 1" as any, 1);
  },
});
export const negativeTimer = action({
  args: {},
  handler: () => new Promise<string>((resolve) => setTimeout(() => resolve("fired"), -5)),
});
export const ticking = action({
  args: {},
  handler: () =>
    new Promise<number>((resolve) => {
      let count = 0;
      const interval = setInterval(() => {
        count += 1;
        if (count < 3) return;
        clearInterval(interval);
        resolve(count);
      }, 1);
    }),
});
export const clock = query({ args: {}, handler: () => Date.now() });
export const validated = query({
  args: { value: v.optional(v.string()) },
  returns: v.union(v.string(), v.null()),
  handler: (_ctx, { value }) => value ?? null,
});
