import { expect, test } from "vitest";
import { adminKey, cloudUrl, siteUrl } from "../../../grader";

const ask = (authorization?: string) =>
  fetch(`${cloudUrl}/api/query`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(authorization && { authorization }) },
    body: JSON.stringify({ path: "index:secret", args: {}, format: "json" }),
  });

test("an internal function answers the admin key alone", async () => {
  expect(await (await ask(`Convex ${adminKey}`)).json()).toMatchObject({ value: "hidden" });
  expect(await (await ask()).json()).toMatchObject({ status: "error" });
});

test("the ports are those of the environment", () => {
  expect(cloudUrl).toBe(`http://localhost:${process.env.CONVEX_PORT}`);
  expect(siteUrl).toBe(`http://localhost:${process.env.CONVEX_SITE_PORT}`);
});

test("an HTTP action answers", async () => {
  expect(await (await fetch(`${siteUrl}/ping`)).text()).toBe("pong");
});
