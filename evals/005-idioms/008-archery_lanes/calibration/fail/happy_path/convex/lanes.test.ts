// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { convexTest } from "convex-test";
import { expect, test } from "vitest";
import { api } from "./_generated/api";
import schema from "./schema";

test("archers take lanes, shoot and leave", async () => {
  const ada = convexTest(schema).withIdentity({ subject: "ada" });
  const hold = await ada.mutation(api.lanes.take, { lane: 1 });
  await ada.mutation(api.lanes.shoot, { hold, points: 7 });
  await ada.mutation(api.lanes.shoot, { hold, points: 9 });
  expect(await ada.query(api.lanes.sheet, { hold })).toEqual([7, 9]);
  await ada.mutation(api.lanes.leave, { hold });
  await expect(ada.query(api.lanes.sheet, { hold })).rejects.toThrow();
});

test("callers who are not signed in are refused", async () => {
  const t = convexTest(schema);
  await expect(t.mutation(api.lanes.take, { lane: 1 })).rejects.toThrow("not signed in");
});
