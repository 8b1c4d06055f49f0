import { expect, test } from "vitest";
import { api, responseClient } from "../../../grader";

test("a subscription sees each change", async () => {
  const seen: number[] = [];
  const stop = responseClient.onUpdate(api.index.total, {}, (total) => seen.push(total));
  await expect.poll(() => seen).toEqual([0]);
  await responseClient.mutation(api.index.add, { n: 2 });
  await expect.poll(() => seen).toEqual([0, 2]);
  stop();
  await responseClient.mutation(api.index.add, { n: 3 });
  expect(await responseClient.query(api.index.total, {})).toBe(5);
  expect(seen).toEqual([0, 2]);
});
