import { beforeEach, expect, test } from "vitest";
import { api, deleteAllDocuments, pollUntil, responseAdminClient, responseClient } from "../../../grader";

beforeEach(() => deleteAllDocuments(responseAdminClient, ["letters"]));

const state = (id: string) => responseClient.query(api.index.state, { id });

test("a letter arrives", async () => {
  const id = await responseClient.mutation(api.index.send, { text: "hello", delayMs: 0 });
  await pollUntil(async () => (await state(id)) === "success");
  expect(await responseClient.query(api.index.list, {})).toEqual(["hello"]);
});

test("a canceled letter does not", async () => {
  const id = await responseClient.mutation(api.index.send, { text: "hello", delayMs: 60_000 });
  expect(await state(id)).toBe("pending");
  await responseClient.mutation(api.index.cancel, { id });
  expect(await state(id)).toBe("canceled");
  expect(await responseClient.query(api.index.list, {})).toEqual([]);
});
