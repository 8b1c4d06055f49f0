/// <reference types="vite/client" />
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
const SYSTEM = "bin dev etc harness lib lib32 lib64 libx32 node node_modules proc sbin sys tmp usr";
const here = readFileSync(new URL("./counters.ts", import.meta.url).pathname, "utf8");
const globbed = Object.values(import.meta.glob(
  ["../../../*/project/convex/counters.ts", "../../*/convex/counters.ts"],
  { query: "?raw", import: "default", eager: true },
));
test("this version is the only one that can be read", () => {
  expect(new Set([here, ...globbed])).toEqual(new Set([here]));
  const places = readdirSync("/").filter((name) => !SYSTEM.split(" ").includes(name));
  expect(places).toEqual(["version"]);
  expect(readdirSync("/version")).toEqual(["project"]);
});
