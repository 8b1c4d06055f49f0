import { expect, test } from "vitest";
import { api, responseClient } from "../../../grader";

test("the transaction is measured", async () => {
  const metrics = await responseClient.mutation(api.index.measure, {});
  expect(metrics.documentsWritten.used).toBe(2);
  expect(metrics.documentsRead.used).toBe(1);
  expect(metrics.bytesRead.remaining).toBeGreaterThan(metrics.bytesRead.used);
  expect(metrics.functionsScheduled.used).toBe(0);
  expect(Object.keys(metrics)).toContain("scheduledFunctionArgsBytes");
});
