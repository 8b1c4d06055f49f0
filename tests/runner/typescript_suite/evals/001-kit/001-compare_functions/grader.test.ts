import { expect, test } from "vitest";
import { compareFunctionSpec } from "../../../grader";

test("all functions are the reference's", async ({ skip }) => {
  await compareFunctionSpec(skip);
});
