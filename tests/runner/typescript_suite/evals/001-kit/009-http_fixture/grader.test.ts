import { afterAll, beforeAll, expect, test } from "vitest";
import { api, responseClient } from "../../../grader";
import { startHttpFixture } from "../../../grader/httpFixture";

let fixture: Awaited<ReturnType<typeof startHttpFixture>>;
beforeAll(async () => {
  fixture = await startHttpFixture();
});
afterAll(() => fixture.close());

const get = (path: string) => responseClient.action(api.index.get, { url: `${fixture.baseUrl}${path}` });

test("a document is fetched", async () => {
  const { status, body } = await get("/json");
  expect(status).toBe(200);
  expect(body.slideshow.slides[0]).toHaveProperty("title");
  expect(Object.keys(body.slideshow).sort()).toEqual(["author", "date", "slides"]);
});

test("an error is told", async () => {
  expect(await get("/status/500")).toMatchObject({ status: 500, body: { error: expect.any(String) } });
});

test("another path shows the request", async () => {
  const { body } = await get("/get?a=1&b=two");
  expect(body.args).toEqual({ a: "1", b: "two" });
  expect(body.url).toBe(`${fixture.baseUrl}/get?a=1&b=two`);
  expect(fixture.baseUrl).toContain(body.headers.Host);
  expect(body.headers).toHaveProperty("Accept");
});
