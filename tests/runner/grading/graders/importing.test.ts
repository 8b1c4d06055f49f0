import { fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { test } from "vitest";
test("imports", async () => {
  const file = `${process.env.MODEL_OUTPUT_DIR}/src/code.mjs`;
  void [fork, once, cpSync, readFileSync, createRequire, Worker];
  IMPORT;
});
