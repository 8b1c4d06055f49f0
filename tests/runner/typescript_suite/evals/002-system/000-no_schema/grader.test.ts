import { expect, test } from "vitest";
import { api, getSchema, listTable, responseAdminClient, responseClient } from "../../../grader";

test("there is no schema, and rows are stored", async () => {
  expect(await getSchema(responseAdminClient)).toBeNull();
  await responseClient.mutation(api.index.add, { n: 1 });
  expect(await listTable(responseAdminClient, "rows")).toMatchObject([{ n: 1 }]);
});
