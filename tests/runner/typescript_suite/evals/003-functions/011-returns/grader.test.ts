import { expect, test } from "vitest";
import { api, responseClient } from "../../../grader";

test("a number is returned", async () => {
  expect(await responseClient.query(api.index.parse, { text: "1.5" })).toBe(1.5);
});

test("anything else is refused", async () => {
  const asked = responseClient.query(api.index.parse, { text: '"text"' });
  await expect(asked).rejects.toThrow(/ReturnsValidationError/);
});
