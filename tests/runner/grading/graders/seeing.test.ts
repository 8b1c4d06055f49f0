import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
test("sees nothing of the grader", () => {
  const cwd = process.env.MODEL_OUTPUT_DIR;
  expect(JSON.parse(execFileSync("node", ["src/program.mjs"], { cwd, encoding: "utf8" }))).toEqual({
    variables: [], words: null, folders: [], ports: Array(5).fill(false),
  });
});
