import { execFileSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

test("reads what a program wrote", () => {
  const folder = mkdtempSync(join(tmpdir(), "run-"));
  symlinkSync(process.env.MODEL_OUTPUT_DIR!, join(folder, "project"));
  mkdirSync(join(folder, "old"));
  writeFileSync(join(folder, "kept.txt"), "kept");
  execFileSync("sh", ["project/src/write.sh"], { cwd: folder });
  expect(readFileSync(join(folder, "new/report.txt"), "utf8")).toBe("EXPECTED");
  expect(readFileSync(join(folder, "kept.txt"), "utf8")).toBe("kept");
});
