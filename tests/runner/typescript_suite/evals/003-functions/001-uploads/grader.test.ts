import { expect, test } from "vitest";
import { api, responseClient } from "../../../grader";

test("a file is stored, served and deleted", async () => {
  const address = await responseClient.mutation(api.index.upload, {});
  const headers = { "content-type": "text/plain" };
  const stored = await fetch(address, { method: "POST", headers, body: "a text" });
  const { storageId: id } = await stored.json();

  expect(await responseClient.query(api.index.info, { id })).toEqual([6, "text/plain"]);
  const url = await responseClient.query(api.index.url, { id });
  expect(await (await fetch(url)).text()).toBe("a text");
  await responseClient.mutation(api.index.remove, { id });
  expect(await responseClient.query(api.index.url, { id })).toBeNull();
  expect((await fetch(url)).status).toBe(404);
});
