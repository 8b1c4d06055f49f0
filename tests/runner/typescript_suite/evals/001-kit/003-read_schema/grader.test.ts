import { expect, test } from "vitest";
import { findTable, getSchema, hasIndexForFields, hasIndexForPrefix, responseAdminClient } from "../../../grader";

test("the tables are there", async () => {
  const schema = await getSchema(responseAdminClient);
  expect(schema?.tables.map((table) => table.tableName)).toEqual(["events", "rooms"]);
  expect(findTable(schema, "rooms")?.indexes).toEqual([]);
  expect(findTable(schema, "nothing")).toBeNull();
});

test("the index has exactly both fields", async () => {
  const schema = await getSchema(responseAdminClient);
  expect(hasIndexForFields(schema, "events", ["room", "at", "_creationTime"])).toBe(true);
  expect(hasIndexForFields(schema, "events", ["room", "at"])).toBe(false);
});

test("the index begins with the room", async () => {
  const schema = await getSchema(responseAdminClient);
  expect(hasIndexForPrefix(schema, "events", ["room"])).toBe(true);
  expect(hasIndexForPrefix(schema, "events", ["at"])).toBe(false);
});
