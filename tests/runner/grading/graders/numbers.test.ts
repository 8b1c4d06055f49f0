import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { NUMBER } from "./number";
import settings from "../../../package.json";

test("finds its own files, and nothing of others", async () => {
  const file = `${process.env.MODEL_OUTPUT_DIR}/src/number.ts?raw`;
  const answer = await import(/* @vite-ignore */ file);
  expect(answer.default).toBe("export const NUMBER: number = EXPECTED;\n");
  expect([NUMBER, settings.version]).toEqual([EXPECTED, "EXPECTED"]);
  const files = readdirSync(".").filter((name) => name.startsWith("only_"));
  expect(files).toEqual(["only_EXPECTED.ts"]);
  expect([existsSync("/tmp/mark"), process.env.MARK, "mark" in globalThis])
    .toEqual([false, undefined, false]);
  Object.assign(globalThis, { mark: true });
  process.env.MARK = "set";
  writeFileSync("/tmp/mark", "");
});
