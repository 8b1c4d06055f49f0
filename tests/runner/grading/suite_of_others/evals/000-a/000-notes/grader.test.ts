import { describe, expect, test } from "vitest";
import { shared } from "../../../lib/shared";
import { help } from "./helper";
import data from "./data.json";
import { fromKit } from "../../../grader";

describe("modules", () => {
  test("beside the grader", () => {
    console.log("a line of the grader");
    expect([help(), data.value, fromKit()]).toEqual([1, 2, 3]);
  });
  test("elsewhere in the suite", () => expect(shared()).toBe(4));
});
test("a snapshot", () => expect({ a: 1 }).toMatchSnapshot());
test("the kit of vitest", () => expect(1).toBe(1));
