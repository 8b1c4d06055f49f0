import { expect, test } from "vitest";
import { compareSchema } from "../../../grader";

test("the schema is the reference's", async ({ skip }) => {
  await compareSchema(skip);
});
