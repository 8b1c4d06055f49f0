import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(`${process.env.MODEL_OUTPUT_DIR}/${path}`, "utf8");

test("the answer's settings are there", () => {
  expect(read("vitest.config.ts")).toContain("defineConfig");
  expect(JSON.parse(read("convex/tsconfig.json"))).toEqual({ extends: "../tsconfig.json" });
});
test("each answer has its own settings", () => {
  const { target } = JSON.parse(read("tsconfig.json")).compilerOptions;
  expect(read("src/target.ts")).toContain(target);
});
test("variables have their types", () => {
  expect(read("convex/_generated/server.d.ts")).toMatch(/type Env = \{[^}]* KEY: string;/);
});
test("no other files are there", () => expect(existsSync("/project/.env")).toBe(false));
