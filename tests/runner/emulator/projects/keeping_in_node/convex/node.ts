"use node";
import * as fs from "node:fs";
import { v } from "convex/values";
import { action } from "./_generated/server";

const places: Record<string, () => any> = {
  outer_global_object: () => globalThis as any,
  outer_process: () => require("node:process"),
  module: () => require("node:fs"),
  module_that_was_not_loaded: () => require("node:process").getBuiltinModule("zlib"),
  buffer: () => Buffer.prototype as any,
  environment: () => process.env as any,
};
export const keep = action({
  args: { place: v.string() },
  handler: async (_ctx, { place }) => {
    Object.defineProperty(places[place](), "kept", { value: 7, configurable: true });
    return typeof fs.readFileSync;
  },
});
export const find = action({
  args: { place: v.string() },
  handler: async (_ctx, { place }) => (places[place]().kept === 7 ? "kept" : "fresh"),
});
export const listPlaces = action({ args: {}, handler: async () => Object.keys(places) });
