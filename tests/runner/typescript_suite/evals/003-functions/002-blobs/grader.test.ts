import { expect, test } from "vitest";
import { api, responseAdminClient, responseClient } from "../../../grader";

test("an action writes and reads files", async () => {
  const id = await responseClient.action(api.index.write, { text: "grüße" });
  expect(await responseClient.action(api.index.read, { id })).toBe("grüße");
  const args = { storageId: id, componentId: null };
  const name = "_system/frontend/fileStorageV2:getFile" as any;
  expect(await responseAdminClient.query(name, args)).toMatchObject({ size: 7 });
});
