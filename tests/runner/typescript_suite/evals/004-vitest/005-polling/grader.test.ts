import { expect, test, vi } from "vitest";
import { api, responseClient } from "../../../grader";

test("three ticks come", async () => {
  await responseClient.mutation(api.index.start, {});
  const count = () => responseClient.query(api.index.count, {});
  await expect.poll(count, { timeout: 10_000, interval: 20 }).toBe(3);
  await vi.waitFor(async () => expect(await count()).toBe(3));
});
