import { expect, test } from "vitest";
import { countStatements } from "../../../grader";

test("the file has two statements", () => {
  expect(countStatements("convex/index.ts")).toBe(2);
});
