import { beforeEach, describe, expect, test } from "vitest";
import { api, deleteAllDocuments, responseAdminClient, responseClient, withIdentity } from "../../../grader";

beforeEach(() => deleteAllDocuments(responseAdminClient, ["notes"]));
const issuer = "https://issuer.example";

describe.each(["ann", "bob"])("%s", (subject) => {
  const user = withIdentity({ subject, issuer });

  test("sees no note of others", async () => {
    await withIdentity({ subject: "eve", issuer }).mutation(api.index.add, { text: "secret" });
    await user.mutation(api.index.add, { text: `of ${subject}` });
    expect(await user.query(api.index.mine, {})).toEqual([`of ${subject}`]);
  });
});

test("nobody has notes", async () => {
  await expect(responseClient.mutation(api.index.add, { text: "a" })).rejects.toThrow();
  expect(await responseClient.query(api.index.mine, {})).toEqual([]);
});
