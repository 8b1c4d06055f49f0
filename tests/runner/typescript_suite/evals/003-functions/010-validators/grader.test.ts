import { describe, expect, test } from "vitest";
import { api, responseClient } from "../../../grader";

const good = { shape: { kind: "circle", radius: 1 }, counts: { a: 1 }, big: 2n ** 62n };
const check = (args: object) => responseClient.query(api.index.check, args as any);

describe("right arguments", () => {
  test.each([good, { ...good, note: null }, { ...good, shape: { kind: "square", side: 2 } }])(
    "case %#",
    async (args) => expect(await check(args)).toEqual(args),
  );
});

describe("wrong arguments", () => {
  test.each([
    { ...good, shape: { kind: "circle", side: 1 } },
    { ...good, shape: { kind: "triangle" } },
    { ...good, counts: { a: "1" } },
    { ...good, note: 1 },
    { ...good, big: 1 },
    { ...good, more: 1 },
    {},
  ])("case %#", async (args) => {
    await expect(check(args)).rejects.toThrow(/ArgumentValidationError/);
  });
});
