import { expect, test } from "vitest";
import { listTable, responseAdminClient, siteUrl } from "../../../grader";

test("parts come in a stream and are stored", async () => {
  expect(await (await fetch(`${siteUrl}/stream`)).text()).toBe("one two");
  const parts = await listTable(responseAdminClient, "parts");
  expect(parts.map(({ text }) => text)).toEqual(["one ", "two"]);
});
