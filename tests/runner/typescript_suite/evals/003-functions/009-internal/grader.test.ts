import { expect, test } from "vitest";
import { api, responseAdminClient, responseClient } from "../../../grader";

test.each([
  ["query", "answer"],
  ["mutation", "noop"],
  ["action", "work"],
] as const)("clients cannot call the %s", async (kind, name) => {
  const call = () => responseClient[kind](api.index[name] as any, {});
  await expect(call()).rejects.toThrow(/Could not find public function/);
});

test("functions and administrators can", async () => {
  expect(await responseClient.action(api.index.all, {})).toEqual([42, null, "done"]);
  expect(await responseAdminClient.query(api.index.answer, {})).toBe(42);
});
