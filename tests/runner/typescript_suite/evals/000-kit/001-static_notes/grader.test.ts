import { expect, test } from "vitest";
import { readOutputFile } from "../../../grader/outputDir";

test("names Convex", () => {
  expect(readOutputFile("000-kit", "001-static_notes", "convex/notes.ts")).toContain("Convex");
});
