import { beforeEach, expect, test } from "vitest";
import { addDocuments, api, deleteAllDocuments, getSchema, hasIndexOn, hasIndexWithPrefix, listTable, responseAdminClient, responseClient } from "../../../grader";

beforeEach(async () => {
  await deleteAllDocuments(responseAdminClient, ["rows"]);
  await addDocuments(responseAdminClient, "rows", [{ n: 1 }]);
});

test.each([
  ["getSchema", () => getSchema(responseClient)],
  ["addDocuments", () => addDocuments(responseClient, "rows", [{ n: 2 }])],
  ["listTable", () => listTable(responseClient, "rows")],
  ["deleteAllDocuments", () => deleteAllDocuments(responseClient, ["rows"])],
  ["hasIndexOn", () => hasIndexOn(responseClient, "rows", ["n"])],
  ["hasIndexWithPrefix", () => hasIndexWithPrefix(responseClient, "rows", ["n"])],
])("%s needs a client with the admin key", async (_name, ask) => {
  await expect(ask()).rejects.toThrow();
  expect(await listTable(responseAdminClient, "rows")).toMatchObject([{ n: 1 }]);
});

test("functions are open to all", async () => {
  expect(await responseClient.query(api.index.isOpen, {})).toBe(true);
});
