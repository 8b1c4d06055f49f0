import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { containsCollectCall, getLatestOutputProjectDir, readOutputFile } from "../../../grader";

const [category, name] = ["001-kit", "007-sources"];

test("the source takes rows and collects none", () => {
  const source = readOutputFile(category, name, "convex/index.ts");
  expect(source).toContain("take(10)");
  expect(containsCollectCall(source, "index.ts")).toBe(false);
});

test("a call is told from a word", () => {
  expect(containsCollectCall('rows.collect(); // "collect"', "a.ts")).toBe(true);
  expect(containsCollectCall('const a = "collect()"; collect(); rows.collect;', "a.ts")).toBe(false);
  expect(containsCollectCall("const a = <p>{rows.collect()}</p>;", "a.tsx")).toBe(true);
});

test("the project has its files, and no others", () => {
  const folder = getLatestOutputProjectDir(category, name);
  expect(existsSync(join(folder, "convex", "_generated", "api.d.ts"))).toBe(true);
  expect(() => readOutputFile(category, name, "convex/nothing.ts")).toThrow();
});

test("older graders find the project below the folder of outputs", () => {
  const { MODEL_OUTPUT_DIR, OUTPUT_TEMPDIR } = process.env;
  delete process.env.MODEL_OUTPUT_DIR;
  try {
    const folder = getLatestOutputProjectDir(category, name);
    expect(folder.startsWith(join(OUTPUT_TEMPDIR ?? "", "output"))).toBe(true);
    expect(existsSync(join(folder, "convex", "index.ts"))).toBe(true);
  } finally {
    process.env.MODEL_OUTPUT_DIR = MODEL_OUTPUT_DIR;
  }
});
