import { expect, test } from "vitest";
import { addDocuments, api, listTable, responseAdminClient, responseClient } from "../../../grader";

test("each author has their books", async () => {
  await addDocuments(responseAdminClient, "authors", [{ name: "Ann" }, { name: "Bob" }]);
  const [ann] = await listTable(responseAdminClient, "authors");
  const books = ["One", "Two"].map((title) => ({ author: ann._id, title }));
  await addDocuments(responseAdminClient, "books", books);
  expect(await responseClient.query(api.index.shelf, {})).toEqual([
    { name: "Ann", titles: ["One", "Two"] },
    { name: "Bob", titles: [] },
  ]);
});
