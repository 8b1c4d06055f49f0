import { expect, test } from "vitest";
import { siteUrl } from "../../../grader";

test("a prefix takes the rest of the path", async () => {
  const response = await fetch(`${siteUrl}/items/red%20shoe?a=1`);
  expect(response.headers.get("content-type")).toContain("application/json");
  expect(await response.json()).toEqual({ name: "red shoe" });
});

test("other origins are let in", async () => {
  const response = await fetch(`${siteUrl}/items/shoe`, { method: "OPTIONS" });
  expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
});

test("bytes are counted", async () => {
  const body = new Uint8Array([0, 255, 10]);
  const response = await fetch(`${siteUrl}/bytes`, { method: "PUT", body });
  expect([response.status, await response.text()]).toEqual([202, "3"]);
});

test("other paths and methods are not found", async () => {
  expect((await fetch(`${siteUrl}/nothing`)).status).toBe(404);
  expect((await fetch(`${siteUrl}/bytes`)).status).toBe(404);
});
