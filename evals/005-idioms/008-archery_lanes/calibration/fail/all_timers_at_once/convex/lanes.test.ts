// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/// <reference types="vite/client" />
import { convexTest } from "convex-test";
import { ConvexError } from "convex/values";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { api } from "./_generated/api";
import schema from "./schema";

const modules = import.meta.glob("./**/*.ts");

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** A club with two archers, and somebody who is not signed in. */
function club() {
  const t = convexTest(schema, modules);
  return { t, ada: t.withIdentity({ subject: "ada" }), bo: t.withIdentity({ subject: "bo" }) };
}

type Club = ReturnType<typeof club>["t"];

async function stored(t: Club) {
  return await t.run(async (ctx) => ({
    holds: await ctx.db.query("holds").collect(),
    arrows: await ctx.db.query("arrows").collect(),
  }));
}

async function refusal(call: Promise<unknown>) {
  const error: unknown = await call.then(
    () => expect.fail("the call was not refused"),
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(ConvexError);
  return (error as ConvexError<string>).data;
}

test("a lane is held by whoever takes it", async () => {
  const { t, ada } = club();
  const hold = await ada.mutation(api.lanes.take, { lane: 4 });
  const { holds } = await stored(t);
  expect(holds).toHaveLength(1);
  expect(holds[0]).toMatchObject({ _id: hold, lane: 4 });
  expect(await ada.query(api.lanes.sheet, { hold })).toEqual([]);
});

test("a lane is held once, and other lanes are free", async () => {
  const { t, ada, bo } = club();
  await ada.mutation(api.lanes.take, { lane: 4 });
  expect(await refusal(bo.mutation(api.lanes.take, { lane: 4 }))).toBe("lane taken");
  expect(await refusal(ada.mutation(api.lanes.take, { lane: 4 }))).toBe("lane taken");
  expect((await stored(t)).holds).toHaveLength(1);
  await bo.mutation(api.lanes.take, { lane: 5 });
});

test("points are read in the order they were shot", async () => {
  const { ada, bo } = club();
  const hold = await ada.mutation(api.lanes.take, { lane: 1 });
  const other = await bo.mutation(api.lanes.take, { lane: 2 });
  for (const points of [7, 10, 0, 9]) await ada.mutation(api.lanes.shoot, { hold, points });
  await bo.mutation(api.lanes.shoot, { hold: other, points: 3 });
  expect(await ada.query(api.lanes.sheet, { hold })).toEqual([7, 10, 0, 9]);
  expect(await bo.query(api.lanes.sheet, { hold: other })).toEqual([3]);
});

test.each([-1, 11])("no arrow has %d points", async (points) => {
  const { t, ada } = club();
  const hold = await ada.mutation(api.lanes.take, { lane: 1 });
  expect(await refusal(ada.mutation(api.lanes.shoot, { hold, points }))).toBe("no such score");
  expect((await stored(t)).arrows).toEqual([]);
});

test("strangers are refused everything", async () => {
  const { t, ada } = club();
  const hold = await ada.mutation(api.lanes.take, { lane: 1 });
  await ada.mutation(api.lanes.shoot, { hold, points: 5 });
  const before = await stored(t);
  const calls = [
    () => t.mutation(api.lanes.take, { lane: 2 }),
    () => t.mutation(api.lanes.shoot, { hold, points: 5 }),
    () => t.query(api.lanes.sheet, { hold }),
    () => t.mutation(api.lanes.leave, { hold }),
  ];
  for (const call of calls) expect(await refusal(call())).toBe("not signed in");
  expect(await stored(t)).toEqual(before);
});

test("another archer's hold is nobody else's", async () => {
  const { t, ada, bo } = club();
  const hold = await ada.mutation(api.lanes.take, { lane: 1 });
  await ada.mutation(api.lanes.shoot, { hold, points: 5 });
  const before = await stored(t);
  const calls = [
    () => bo.mutation(api.lanes.shoot, { hold, points: 5 }),
    () => bo.query(api.lanes.sheet, { hold }),
    () => bo.mutation(api.lanes.leave, { hold }),
  ];
  for (const call of calls) expect(await refusal(call())).toBe("no such hold");
  expect(await stored(t)).toEqual(before);
});

test("whoever leaves takes their arrows along", async () => {
  const { t, ada, bo } = club();
  const hold = await ada.mutation(api.lanes.take, { lane: 1 });
  const other = await bo.mutation(api.lanes.take, { lane: 2 });
  await ada.mutation(api.lanes.shoot, { hold, points: 5 });
  await bo.mutation(api.lanes.shoot, { hold: other, points: 6 });
  await ada.mutation(api.lanes.leave, { hold });
  const { holds, arrows } = await stored(t);
  expect(holds.map(({ _id }) => _id)).toEqual([other]);
  expect(arrows.map(({ points }) => points)).toEqual([6]);
  expect(await refusal(ada.query(api.lanes.sheet, { hold }))).toBe("no such hold");
  await bo.mutation(api.lanes.take, { lane: 1 });
});

test("a hold lasts for half an hour", async () => {
  const { t, ada } = club();
  const hold = await ada.mutation(api.lanes.take, { lane: 1 });
  await ada.mutation(api.lanes.shoot, { hold, points: 5 });
  await t.finishAllScheduledFunctions(vi.runAllTimers);
  expect(await refusal(ada.query(api.lanes.sheet, { hold }))).toBe("no such hold");
  expect(await stored(t)).toEqual({ holds: [], arrows: [] });
});
