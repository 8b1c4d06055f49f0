import { expect, test } from "vitest";
import { addDocuments, api, deleteAllDocuments, listTable, responseAdminClient, responseClient } from "../../../grader";

const values = (documents: any[]) => documents.map((document) => document.value);

test("documents are added, listed, counted and deleted", async () => {
  expect(await deleteAllDocuments(responseAdminClient, ["numbers"])).toEqual({ numbers: 0 });
  const documents = Array.from({ length: 40 }, (_, value) => ({ value }));
  await addDocuments(responseAdminClient, "numbers", documents);

  expect(await responseClient.query(api.index.sum, {})).toBe(780);
  expect(values(await listTable(responseAdminClient, "numbers", 3))).toEqual([37, 38, 39]);
  expect(await listTable(responseAdminClient, "numbers")).toHaveLength(32);
  expect(await deleteAllDocuments(responseAdminClient, ["numbers"])).toEqual({ numbers: 40 });
  expect(await responseClient.query(api.index.sum, {})).toBe(0);
});

test("documents of another shape are refused", async () => {
  await expect(addDocuments(responseAdminClient, "numbers", [{ value: "one" }])).rejects.toThrow();
});
