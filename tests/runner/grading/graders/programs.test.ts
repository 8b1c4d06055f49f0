import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
const cwd = process.env.MODEL_OUTPUT_DIR!;
const run = (program: string, ...more: string[]) =>
  String(execFileSync(program, more, { cwd })).trim();
test("lists the project", () => {
  const code = "process.stdout.write(require('node:fs').readdirSync('.').join())";
  expect(run(process.execPath, "-e", code).split(",")).toContain("convex");
});
test("finds the programs of packages", () => {
  expect(run("node", "-p", "process.version")).toBe(process.version);
  expect(run(join(cwd, "node_modules/.bin/tsc"), "-v")).toMatch(/^Version/);
  expect(run("vitest", "--version")).toMatch(/^vitest/);
});
