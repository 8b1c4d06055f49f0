import { beforeEach, expect, test } from "vitest";
import { api, responseAdminClient, responseClient } from "../../../grader";

const system = (name: string): any => `_system/frontend/${name}`;

beforeEach(async () => {
  await responseAdminClient.mutation(system("clearTablePage"), { tableName: "items", cursor: null });
  await responseClient.mutation(api.index.fill, { count: 5 });
});

test("a scan begins with the newest", async () => {
  const args = { table: "items", limit: 2 };
  const scanned = await responseAdminClient.query(system("listTableScan"), args);
  expect(scanned.map(({ n }: any) => n)).toEqual([4, 3]);
});

test("a page is cleared", async () => {
  const args = { tableName: "items", cursor: null };
  const cleared = await responseAdminClient.mutation(system("clearTablePage"), args);
  expect(cleared).toMatchObject({ deleted: 5, hasMore: false });
});

test("single documents are read and deleted, and a table has a size", async () => {
  const [item] = await responseAdminClient.query(system("listTableScan"), { table: "items", limit: 1 });
  expect(await responseAdminClient.query(system("getById"), { id: item._id })).toEqual(item);
  const toDelete = [{ id: item._id, tableName: "items" }];
  await responseAdminClient.mutation(system("deleteDocuments"), { toDelete, componentId: null });
  expect(await responseAdminClient.query(system("tableSize"), { tableName: "items" })).toBe(4);
});

test("system functions answer the admin key alone", async () => {
  const args = { table: "items", limit: 2 };
  await expect(responseClient.query(system("listTableScan"), args)).rejects.toThrow();
});
