import { expect, test } from "vitest";
import { addDocuments, api, responseAdminClient, responseClient } from "../../../grader";

test("the range is half open, and the latest come first", async () => {
  const times = [3, 1, 2, 4, 5];
  const readings = times.flatMap((at) => [{ sensor: "a", at }, { sensor: "b", at: at + 10 }]);
  await addDocuments(responseAdminClient, "readings", readings);
  const between = (from: number, to: number) =>
    responseClient.query(api.index.between, { sensor: "a", from, to });
  expect(await between(2, 5)).toEqual([4, 3, 2]);
  expect(await between(9, 20)).toEqual([]);
});
