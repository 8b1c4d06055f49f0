import { beforeAll, expect, test } from "vitest";
import { addDocuments, api, responseAdminClient, responseClient } from "../../../grader";

beforeAll(async () => {
  const around = Array.from({ length: 12 }, (_, i) => ({ name: `p${i}`, at: [1, i] }));
  await addDocuments(responseAdminClient, "points", [...around, { name: "nowhere" }]);
});

test("the nearest come first", async () => {
  const asked = { at: [1, 0], limit: 2 };
  expect(await responseClient.action(api.index.nearest, asked)).toEqual(["p0", "p1"]);
});

test("ten come without a limit", async () => {
  expect(await responseClient.action(api.index.nearest, { at: [1, 0] })).toHaveLength(10);
});
