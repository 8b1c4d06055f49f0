import { beforeAll, expect, test } from "vitest";
import { addDocuments, api, responseAdminClient, responseClient } from "../../../grader";

beforeAll(() =>
  addDocuments(responseAdminClient, "articles", [
    { body: "The sea is blue.", topic: "water" },
    { body: "A sea-horse swims", topic: "water" },
    { body: "The sea is a film", topic: "film" },
    { body: "Nothing of the kind", topic: "water" },
  ]),
);

test.each([
  ["sea", "water", 2],
  ["sea", "film", 1],
  ["hors", "water", 1],
  ["desert", "water", 0],
])("%s in %s", async (words, topic, count) => {
  expect(await responseClient.query(api.index.search, { words, topic })).toHaveLength(count);
});
