import { expect, test } from "vitest";
import { api, pollUntil, responseClient } from "../../../grader";

test("the job is done soon, and not at once", async () => {
  const id = await responseClient.mutation(api.index.start, {});
  await pollUntil(() => responseClient.query(api.index.isDone, { id }), {
    timeoutMs: 5_000,
    intervalMs: 20,
  });
});

test("a condition that does not hold is told with both numbers", async () => {
  const asked = pollUntil(() => false, { timeoutMs: 30, intervalMs: 10 });
  await expect(asked).rejects.toThrow(/30.*10/);
});
