import { ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { expect, test } from "vitest";
import { cloudUrl } from "../../../grader";

test("the client over HTTP calls by name", async () => {
  const client = new ConvexHttpClient(cloudUrl);
  const add = makeFunctionReference<"query">("index:add");
  expect(await client.query(add, { left: 1, right: 2 })).toBe(3);
});
