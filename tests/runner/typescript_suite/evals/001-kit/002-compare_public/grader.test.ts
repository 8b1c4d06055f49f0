import { expect, test } from "vitest";
import { compareFunctionSpec } from "../../../grader";

test("public functions are the reference's", async ({ skip }) => {
  await compareFunctionSpec(skip, { ignoreReturns: true, publicOnly: true });
});
