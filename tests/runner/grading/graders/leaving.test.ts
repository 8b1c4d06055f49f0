import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";

const mark = "/tmp/mark";

test("begins anew", () => {
  expect([existsSync(mark), process.env.MARK]).toEqual([false, undefined]);
  writeFileSync(mark, "");
  process.env.MARK = "set";
  spawn(process.execPath, ["-e", "for (;;);"], { detached: true, stdio: "ignore" }).unref();
});
