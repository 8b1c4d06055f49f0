import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { api, readOutputFile, responseClient } from "../../../grader";

test("the digest is right", async () => {
  const expected = createHash("sha256").update("text").digest("hex");
  expect(await responseClient.action(api.index.digest, { text: "text" })).toBe(expected);
});

test("the module asks for Node.js", () => {
  expect(readOutputFile("003-functions", "016-node_runtime", "convex/index.ts")).toMatch(/^["']use node/);
});
