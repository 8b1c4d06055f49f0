import { spawnSync } from "node:child_process";
import { mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { getLatestOutputProjectDir } from "../../../grader";

const compilerOptions = {
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  preserveSymlinks: true,
  module: "esnext",
  moduleResolution: "bundler",
  target: "esnext",
  types: [],
};
const PROBE = `
import type { FunctionReturnType } from "convex/server";
import { api } from "./project/convex/_generated/api";
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
export const isRight: Equal<FunctionReturnType<typeof api.index.list>, number[]> = true;
`;

test("the types are inferred", () => {
  const folder = mkdtempSync(join(tmpdir(), "probe-"));
  symlinkSync(getLatestOutputProjectDir("004-vitest", "003-compiler"), join(folder, "project"));
  symlinkSync("/node_modules", join(folder, "node_modules"));
  writeFileSync(join(folder, "probe.ts"), PROBE);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["probe.ts"] }));
  const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [compiler], { cwd: folder, encoding: "utf8" });
  expect(stdout).toBe("");
  expect(status).toBe(0);
}, 60_000);
