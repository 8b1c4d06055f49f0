// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { expect, test } from "vitest";
import { api } from "./_generated/api";
import { archers, expectRefusal } from "./club.setup";

test("the whole course of a hold", async () => {
  const { club, first, second } = archers();
  await expectRefusal(() => club.mutation(api.lanes.take, { lane: 3 }), "not signed in");
  const hold = await first.mutation(api.lanes.take, { lane: 3 });
  await expectRefusal(() => second.mutation(api.lanes.take, { lane: 3 }), "lane taken");
  await expectRefusal(() => second.mutation(api.lanes.leave, { hold }), "no such hold");
  await expectRefusal(() => second.query(api.lanes.sheet, { hold }), "no such hold");

  const rounds = [3, 10, 0, 5];
  for (const points of rounds) await first.mutation(api.lanes.shoot, { hold, points });
  for (const points of [-0.5, 10.5, 100]) {
    await expectRefusal(() => first.mutation(api.lanes.shoot, { hold, points }), "no such score");
  }
  expect(await first.query(api.lanes.sheet, { hold })).toEqual(rounds);

  await first.mutation(api.lanes.leave, { hold });
  await club.run(async (ctx) => {
    expect(await ctx.db.query("holds").first()).toBeNull();
    expect(await ctx.db.query("arrows").first()).toBeNull();
  });
  await second.mutation(api.lanes.take, { lane: 3 });
});
