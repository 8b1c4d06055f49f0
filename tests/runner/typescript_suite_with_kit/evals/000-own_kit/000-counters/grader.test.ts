import { anyApi } from "convex/server";
import { expect, test } from "vitest";
import { connectAsAdmin, countStatements, hasReference, http } from "../../../grader/index";

test("the kit's key opens internal functions, and its client over HTTP none", async () => {
  const admin = connectAsAdmin();
  await admin.mutation(anyApi.index.create, { name: "a" });
  expect(await http.query(anyApi.index.read, { name: "a" })).toBe(0);
  await expect(http.mutation(anyApi.index.create, { name: "b" })).rejects.toThrow();
  await admin.close();
});

test("the reference is there to compare with", () => {
  expect(hasReference).toBe(true);
});

test("the file has its statements", () => {
  expect(countStatements("convex/index.ts")).toBe(4);
});
