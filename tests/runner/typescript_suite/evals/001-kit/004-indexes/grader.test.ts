import { expect, test } from "vitest";
import { hasIndexOn, hasIndexWithPrefix, responseAdminClient } from "../../../grader";

test("the index on level has no other field", async () => {
  expect(await hasIndexOn(responseAdminClient, "logs", ["level", "_creationTime"])).toBe(true);
});

test("an index begins with the level", async () => {
  expect(await hasIndexWithPrefix(responseAdminClient, "logs", ["level"])).toBe(true);
});

test("the index on at is staged", async () => {
  expect(await hasIndexWithPrefix(responseAdminClient, "logs", ["at"])).toBe(false);
});
