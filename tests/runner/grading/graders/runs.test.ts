import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("the program prints the right word", () => {
  const { stdout } = spawnSync("node", ["src/program.mjs"], {
    cwd: process.env.MODEL_OUTPUT_DIR, encoding: "utf8", timeout: 20_000,
  });
  console.log(stdout);
  if (existsSync("/tmp/report"))
    return expect(readFileSync("/tmp/report", "utf8")).toBe(readFileSync("right.txt", "utf8"));
  expect(stdout).toBe("the right word, which no answer knows");
});
