// The functions of bench_database.py over convex-test, in this process: reads a line of JSON for each
// step, `{ reset }` or `{ kind, name, args }`, and answers with the milliseconds that it took and its value.

import { createInterface } from "node:readline";

import { convexTest } from "convex-test";
import { anyApi } from "convex/server";

import schema from "./convex/schema.js";

const modules = {
  "./convex/_generated/api.js": async () => ({}),
  "./convex/rows.js": () => import("./convex/rows.js"),
};
const begin = () => convexTest({ schema, modules });

let test = begin();
for await (const line of createInterface({ input: process.stdin })) {
  const { reset = false, kind, name, args } = JSON.parse(line);
  const began = performance.now();
  if (reset) test = begin();
  const value = reset ? null : await test[kind](anyApi.rows[name], args);
  console.log(JSON.stringify({ ms: performance.now() - began, value: value ?? null }));
}
