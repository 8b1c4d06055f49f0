import { expect, test } from "vitest";
import { api, responseClient, withIdentity } from "../../../grader";

const ann = { subject: "ann", issuer: "https://issuer.example", name: "Ann", email: "a@b.example" };

test("each kind of function sees the user", async () => {
  const { query, mutation, action } = withIdentity(ann);
  const expected = ["ann", "Ann", "a@b.example"];
  expect(await query(api.index.me, {})).toEqual(expected);
  expect(await mutation(api.index.rename, {})).toEqual(expected);
  expect(await action(api.index.call, {})).toEqual(expected);
});

test("two users stay apart, and nobody is nobody", async () => {
  const bob = withIdentity({ subject: "bob", issuer: "https://issuer.example" });
  expect(await bob.query(api.index.me, {})).toEqual(["bob", null, null]);
  expect(await withIdentity(ann).query(api.index.me, {})).toEqual(["ann", "Ann", "a@b.example"]);
  expect(await responseClient.query(api.index.me, {})).toBeNull();
});
