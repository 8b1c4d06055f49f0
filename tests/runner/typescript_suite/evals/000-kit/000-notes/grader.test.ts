import { beforeEach, describe, expect, test } from "vitest";
import {
  addDocuments,
  api,
  cloudUrl,
  compareFunctionSpec,
  compareSchema,
  containsCollectCall,
  deleteAllDocuments,
  findTable,
  getSchema,
  hasIndexOn,
  hasIndexWithPrefix,
  listTable,
  pollUntil,
  readOutputFile,
  responseAdminClient,
  responseClient,
  siteUrl,
  withIdentity,
} from "../../../grader";
import { createAIGraderTest } from "../../../grader/aiGrader";
import { startHttpFixture } from "../../../grader/httpFixture";

beforeEach(async () => {
  await deleteAllDocuments(responseAdminClient, ["notes"]);
});

test("compare schema", async ({ skip }) => {
  await compareSchema(skip);
});

test("compare function spec", async ({ skip }) => {
  await compareFunctionSpec(skip, { ignoreReturns: true, publicOnly: true });
});

test("the table has an index on text", async () => {
  expect(findTable(await getSchema(responseAdminClient), "notes")).not.toBeNull();
  expect(await hasIndexOn(responseAdminClient, "notes", ["text", "_creationTime"])).toBe(true);
  expect(await hasIndexOn(responseAdminClient, "notes", ["text"])).toBe(false);
  expect(await hasIndexWithPrefix(responseAdminClient, "notes", ["text"])).toBe(true);
});

test("adds and lists", async () => {
  await addDocuments(responseAdminClient, "notes", [{ text: "first" }]);
  await responseClient.mutation(api.index.add, { text: "second" });
  const listed = await responseClient.query(api.index.list, {});
  expect(listed.map((note: any) => note.text)).toEqual(["first", "second"]);
  expect(await listTable(responseAdminClient, "notes", 1)).toMatchObject([{ text: "second" }]);
});

describe("users", () => {
  test.each(["user1", "user2"])("%s is known", async (subject) => {
    const user = withIdentity({ subject, issuer: "https://issuer.example" });
    expect(await user.query(api.index.who, {})).toBe(subject);
  });

  test("nobody is nobody", async () => {
    expect(await responseClient.query(api.index.who, {})).toBeNull();
  });
});

test("an action reaches a server of the grader, and no other", async () => {
  const fixture = await startHttpFixture();
  try {
    const url = `${fixture.baseUrl}/json`;
    expect(await responseClient.action(api.index.look, { url })).toMatch(/slide/i);
  } finally {
    await fixture.close();
  }
  const url = "http://192.0.2.1/json";
  await expect(responseClient.action(api.index.look, { url })).rejects.toThrow();
});

test("an HTTP action answers", async () => {
  const response = await fetch(`${siteUrl}/notes`, { method: "POST", body: "by HTTP" });
  expect(response.status).toBe(201);
  await pollUntil(async () => (await responseClient.query(api.index.list, {})).length === 1);
});

test("the HTTP API answers, too", async () => {
  const body = JSON.stringify({ path: "index:list", args: {}, format: "json" });
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${cloudUrl}/api/query`, { method: "POST", body, headers });
  expect(await response.json()).toMatchObject({ status: "success", value: [] });
});

test("the source collects", () => {
  const source = readOutputFile("000-kit", "000-notes", "convex/index.ts");
  expect(containsCollectCall(source, "index.ts")).toBe(true);
});

createAIGraderTest(import.meta.url);
