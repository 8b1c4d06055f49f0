import { anyApi } from "convex/server";
import { expect, test } from "vitest";
import { responseAdminClient, responseClient } from "../../../grader";

import { api, internal } from "./answer/convex/_generated/api";
import type { Doc, Id } from "./answer/convex/_generated/dataModel";
import { query } from "./answer/convex/_generated/server";

test("the generated code names functions", async () => {
  const id: Id<"rows"> = await responseClient.mutation(api.index.add, { n: 1 });
  const row: Partial<Doc<"rows">> = { _id: id };
  expect(row._id).toBeTypeOf("string");
  expect(await responseAdminClient.query(internal.index.count as any, {})).toBe(1);
  expect(await responseAdminClient.query(anyApi.index.count as any, {})).toBe(1);
});

test("builders are there", () => {
  expect(query({ args: {}, handler: async () => 1 })).toHaveProperty("isQuery", true);
});
