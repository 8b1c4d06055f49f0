import { expect, test } from "vitest";
import { adminKey, api, cloudUrl, responseClient } from "../../../grader";

const headers = { authorization: `Convex ${adminKey}`, "content-type": "application/json" };

async function change(value: string | null): Promise<void> {
  const body = JSON.stringify({ changes: [{ name: "GREETING", value }] });
  const address = `${cloudUrl}/api/update_environment_variables`;
  expect((await fetch(address, { method: "POST", headers, body })).status).toBe(200);
}

test("a variable is set, listed and removed", async () => {
  expect(await responseClient.query(api.index.greeting, {})).toBe("hello");
  await change("good day");
  expect(await responseClient.query(api.index.greeting, {})).toBe("good day");
  const listed = await fetch(`${cloudUrl}/api/v1/list_environment_variables`, { headers });
  expect(JSON.stringify(await listed.json())).toContain("good day");
  await change(null);
  expect(await responseClient.query(api.index.greeting, {})).toBe("hello");
});
