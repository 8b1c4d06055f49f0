import { v, ConvexError } from "convex/values";
import { action, mutation, query } from "./_generated/server";
import { api } from "./_generated/api";

const places: Record<string, () => any> = {
  math: () => Math as any,
  array_prototype: () => Array.prototype as any,
  object_prototype: () => Object.prototype as any,
  function_of_the_language: () => Array.prototype.map as any,
  error_class: () => Error as any,
  date: () => Date as any,
  iterator_prototype: () => Object.getPrototypeOf([].values()) as any,
  generator_prototype: () => Object.getPrototypeOf(function* () {}) as any,
  async_function_prototype: () => Object.getPrototypeOf(async () => {}) as any,
  intl: () => Intl as any,
  class_of_the_web: () => URL.prototype as any,
  late_class_of_the_web: () => Headers.prototype as any,
  crypto: () => crypto as any,
  console: () => console as any,
  environment: () => process.env as any,
  global_object: () => globalThis as any,
  what_the_global_object_inherits: () => Object.getPrototypeOf(globalThis) as any,
  fetch: () => fetch as any,
  library_function: () => v.string as any,
  library_class: () => ConvexError.prototype as any,
  outer_global_object: () => new Function("return this")(),
};
export const keep = mutation({
  args: { place: v.string(), how: v.string() },
  handler: (_ctx, { place, how }) => {
    const object = places[place]();
    if (how === "set") Object.defineProperty(object, "kept", { value: 7, configurable: true });
    if (how === "locked") Object.defineProperty(object, "kept", { value: 7 });
    if (how === "symbol") object[Symbol.for("kept")] = 7;
    const getter = { get: () => 7, configurable: true };
    if (how === "getter") Object.defineProperty(object, "kept", getter);
    if (how === "frozen") Object.freeze(object);
    if (how === "replaced") Object.defineProperty(Math, "floor", { value: () => 7 });
  },
});
export const find = query({
  args: { place: v.string() },
  handler: (_ctx, { place }) => {
    const object = places[place]();
    const isKept = object.kept === 7 || object[Symbol.for("kept")] === 7;
    return isKept || Math.floor(1.5) === 7 || Object.isFrozen(object) ? "kept" : "fresh";
  },
});
export const listPlaces = query({ args: {}, handler: () => Object.keys(places) });
export const match = query({ args: {}, handler: () => /secret/.test("a secret word") });
export const rename = mutation({
  args: {},
  handler: () => void Object.defineProperty(Array.prototype.map, "name", { value: "kept" }),
});
export const nameOfMap = query({ args: {}, handler: () => Array.prototype.map.name });
export const lastMatch = query({ args: {}, handler: () => (RegExp as any).lastMatch });
export const late = query({ args: {}, handler: () => String((Math as any).late) });
export const goOn = mutation({
  args: {},
  handler: (ctx) => ctx.scheduler.runAfter(0, api.keeping.stay, {}),
});
export const stay = action({
  args: {},
  handler: async () => {
    for (;;) {
      (Math as any).late = 7;
      await fetch("https://example.test/");
    }
  },
});
export const sleep = action({
  args: {},
  handler: async () => {
    (Math as any).late = 7;
    await new Promise((resolve) => setTimeout(resolve, 3_600_000));
  },
});
export const began = action({
  args: {},
  handler: async () => {
    await (await fetch("https://example.test/")).text();
    return [performance.timeOrigin, crypto.randomUUID().length, new Intl.NumberFormat().format(1)];
  },
});
