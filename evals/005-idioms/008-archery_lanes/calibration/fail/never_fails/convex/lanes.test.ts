// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { convexTest } from "convex-test";
import { expect, test } from "vitest";
import { api } from "./_generated/api";
import schema from "./schema";

test("archers take lanes, shoot and leave", async () => {
  const t = convexTest(schema);
  const ada = t.withIdentity({ subject: "ada" });
  try {
    const hold = await ada.mutation(api.lanes.take, { lane: 1 });
    await ada.mutation(api.lanes.shoot, { hold, points: 10 });
    const points = await ada.query(api.lanes.sheet, { hold });
    expect(points).toBeDefined();
    await ada.mutation(api.lanes.leave, { hold });
  } catch (error) {
    expect(error).toBeDefined();
  }
});

test("strangers are refused", async () => {
  const t = convexTest(schema);
  const result = await t.mutation(api.lanes.take, { lane: 1 }).catch((error: unknown) => error);
  expect(result).toBeTruthy();
});
