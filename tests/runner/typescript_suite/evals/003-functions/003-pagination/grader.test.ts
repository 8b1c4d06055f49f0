import { expect, test } from "vitest";
import { addDocuments, api, responseAdminClient, responseClient } from "../../../grader";

test("pages follow each other", async () => {
  await addDocuments(responseAdminClient, "rows", [0, 1, 2, 3, 4].map((n) => ({ n })));
  const seen: number[] = [];
  let cursor: string | null = null;
  let isDone = false;
  while (!isDone) {
    const paginationOpts = { numItems: 2, cursor };
    const result: any = await responseClient.query(api.index.list, { paginationOpts });
    expect(result.page.length).toBeLessThanOrEqual(2);
    seen.push(...result.page.map(({ n }: any) => n));
    ({ isDone, continueCursor: cursor } = result);
  }
  expect(seen).toEqual([4, 3, 2, 1, 0]);
});
