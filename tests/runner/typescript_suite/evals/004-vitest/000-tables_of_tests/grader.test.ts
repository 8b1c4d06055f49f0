import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { api, responseClient } from "../../../grader";

const order: string[] = [];
beforeAll(() => void order.push("all"));
beforeEach(() => void order.push("before"));
afterEach(() => void order.push("after"));

describe.each([{ left: 1 }, { left: -1 }])("from $left", ({ left }) => {
  test.each([[0, left], [1, left + 1]])("plus %i", async (right, sum) => {
    expect(await responseClient.query(api.index.add, { left, right })).toBe(sum);
  });
});

test("hooks ran around each test", () => {
  expect(order).toEqual(["all", ...Array(4).fill(["before", "after"]).flat(), "before"]);
});
