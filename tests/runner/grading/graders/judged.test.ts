import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAIGraderTest } from "../../../grader/aiGrader";

const settings = ["../../../.env", "../../../grader/.env", "./.env"];
const suite = join(process.env.OUTPUT_TEMPDIR!, "..");
function read(path: string): string {
  try { return readFileSync(path, "latin1"); } catch { return ""; }
}
function textsBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.map((entry) => read(join(entry.parentPath, entry.name)));
}
test("no key is here", () => {
  const processes = readdirSync("/proc").map((id) => read(`/proc/${id}/environ`));
  const texts = [JSON.stringify(process.env), ...processes, ...textsBelow(suite)];
  const key = ["sk", "of", "the", "judge"].join("-");
  expect(texts.filter((text) => text.includes(key) || text.includes("LEADERBOARD" + "_JUDGE")))
    .toEqual([]);
  expect(texts.length).toBeGreaterThan(settings.length);
});
createAIGraderTest(import.meta.url, "the style is right");
