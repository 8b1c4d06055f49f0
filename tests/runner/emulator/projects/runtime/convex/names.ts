// The names that code of the default runtime sees, and what it may do with them.

import { action, mutation, query } from "./_generated/server";
import { v } from "convex/values";

const scope = globalThis as any;

/** Returns all names of the global object, and which of `names` code cannot use by themselves. */
export const names = query({
  args: { names: v.array(v.string()) },
  handler: (_, args) => {
    const seen = new Set<string>();
    for (let at = scope; at && at !== Object.prototype; at = Object.getPrototypeOf(at))
      for (const name of Object.getOwnPropertyNames(at)) seen.add(name);
    // The test writes `typeof` of each name here.
    const types: Record<string, string> = { TYPES };
    const missing = args.names.filter((name) => types[name] === "undefined");
    return { global: [...seen].sort(), missing: missing.sort() };
  },
});

/** Returns the names of an object's properties, without those that have no value. */
function list(object: object) {
  const all = Object.entries(Object.getOwnPropertyDescriptors(object));
  return all.filter(([, { get, value }]) => get || value !== undefined).map(([name]) => name);
}

/** Returns the names of the members of classes. */
export const members = query({
  args: { classes: v.array(v.string()) },
  handler: (_, { classes }) => {
    const membersOf = (name: string) => ({
      static: list(scope[name]),
      prototype: list(scope[name].prototype),
    });
    return Object.fromEntries(classes.map((name) => [name, membersOf(name)]));
  },
});

declare const AsyncLocalStorage: any;
declare const TYPES: any;

const uses: Record<string, () => unknown> = {
  bytesOfRequest: async () => (new Request("https://a.test") as any).bytes(),
  bytesOfResponse: async () => (new Response("a") as any).bytes(),
  bytesOfBlob: async () => (new Blob(["a"]) as any).bytes(),
  size: () => String((new URLSearchParams("a=1") as any).size),
  createObjectURL: () => typeof (URL as any).createObjectURL,
  mode: () => new Request("https://a.test").mode,
  redirect: () => new Request("https://a.test").redirect,
  duplex: () => (new Request("https://a.test") as any).duplex,
  host: () => (new URL("https://a.test").host = "b.test"),
  username: () => (new URL("https://a.test").username = "b"),
  wrapKey: async () => (crypto.subtle as any).wrapKey(),
  timing: () => (performance as any).timing,
  transfer: () => structuredClone(new ArrayBuffer(1), { transfer: [] }),
  has: () => "CONVEX_CLOUD_URL" in process.env,
  environment: () => typeof process.env.CONVEX_CLOUD_URL,
  mark: () => performance.mark("a") instanceof PerformanceMark,
  measure: () => {
    performance.mark("a", { startTime: 3 });
    performance.mark("b", { startTime: 5 });
    const { startTime, duration } = performance.measure("c", "a", "b");
    return [startTime, duration, performance.getEntriesByType("measure").length];
  },
  stands: () => {
    const [before, start] = [performance.now(), Date.now()];
    for (let n = 0; n < 3e6; n++) scope.sum = n;
    return [performance.now() - before, performance.timeOrigin + before - start < 1];
  },
  runs: () => {
    const before = performance.now();
    while (performance.now() === before);
    return performance.now() > before;
  },
  timer: () => {
    console.time("t");
    console.timeLog("t", "a", 1);
    console.timeEnd("t");
  },
  stored: () => {
    const storage = new AsyncLocalStorage();
    return storage.run("kept", () => Promise.resolve().then(() => storage.getStore()));
  },
};

const args = { use: v.string() };
const handler = async (_: unknown, { use }: { use: string }) => await uses[use]!();
export const read = query({ args, handler });
export const write = mutation({ args, handler });
export const act = action({ args, handler });

/** Tries to catch the error of a use. */
export const caught = mutation({
  args,
  handler: async (ctx, { use }) => {
    try {
      await uses[use]!();
    } catch {
      await ctx.db.insert("caught" as never, {} as never);
      return "caught";
    }
    return "fine";
  },
});
