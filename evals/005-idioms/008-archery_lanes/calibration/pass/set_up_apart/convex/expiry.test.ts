// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { api } from "./_generated/api";
import { archers, expectRefusal } from "./club.setup";

beforeAll(() => {
  vi.useFakeTimers();
});
afterAll(() => {
  vi.useRealTimers();
});

test("a hold is there for 29 minutes and gone after 31", async () => {
  const { club, first } = archers();
  const hold = await first.mutation(api.lanes.take, { lane: 3 });
  await first.mutation(api.lanes.shoot, { hold, points: 4 });
  vi.advanceTimersByTime(29 * 60_000);
  await club.finishInProgressScheduledFunctions();
  expect(await first.query(api.lanes.sheet, { hold })).toEqual([4]);
  await club.finishAllScheduledFunctions(vi.runAllTimers);
  await expectRefusal(() => first.query(api.lanes.sheet, { hold }), "no such hold");
  expect(await club.run((ctx) => ctx.db.query("arrows").collect())).toEqual([]);
});
