import { beforeEach, expect, test } from "vitest";
import { addDocuments, api, deleteAllDocuments, listTable, responseAdminClient, responseClient } from "../../../grader";

beforeEach(async () => {
  await deleteAllDocuments(responseAdminClient, ["accounts"]);
  const accounts = [{ name: "a", money: 5 }, { name: "b", money: 0 }];
  await addDocuments(responseAdminClient, "accounts", accounts);
});

const pay = (to: string, amount: number) =>
  responseClient.mutation(api.index.pay, { from: "a", to, amount });
const money = async () =>
  (await listTable(responseAdminClient, "accounts")).map((account) => account.money);

test("money moves", async () => {
  await pay("b", 3);
  expect(await money()).toEqual([2, 3]);
});

test.each([["b", 6], ["nobody", 1]])("nothing moves to %s of %i", async (to, amount) => {
  await expect(pay(to, amount)).rejects.toThrow();
  expect(await money()).toEqual([5, 0]);
});

test("payments at once do not lose money", async () => {
  await Promise.all(Array.from({ length: 5 }, () => pay("b", 1)));
  expect(await money()).toEqual([0, 5]);
});
