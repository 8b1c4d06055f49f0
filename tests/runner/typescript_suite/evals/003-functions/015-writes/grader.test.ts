import { beforeEach, expect, test } from "vitest";
import { addDocuments, api, deleteAllDocuments, listTable, responseAdminClient, responseClient } from "../../../grader";

let id: string;
beforeEach(async () => {
  await deleteAllDocuments(responseAdminClient, ["docs"]);
  await addDocuments(responseAdminClient, "docs", [{ title: "a", note: "n" }]);
  id = (await listTable(responseAdminClient, "docs"))[0]._id;
});

const rest = async () =>
  (await listTable(responseAdminClient, "docs")).map(({ _id, _creationTime, ...fields }) => fields);

test.each([
  ["rename", { title: "b" }, [{ title: "b", note: "n" }]],
  ["clear", {}, [{ title: "a" }]],
  ["reset", { title: "b" }, [{ title: "b" }]],
  ["remove", {}, []],
])("%s", async (name, args, expected) => {
  await responseClient.mutation(api.index[name] as any, { id, ...args });
  expect(await rest()).toEqual(expected);
});
