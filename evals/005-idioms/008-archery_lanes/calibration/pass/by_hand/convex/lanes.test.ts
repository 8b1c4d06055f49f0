// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { convexTest } from "convex-test";
import { describe, expect, it, vi } from "vitest";
import { api } from "./_generated/api";
import schema from "./schema";

const ROBIN = { subject: "robin", issuer: "https://archers.test", tokenIdentifier: "robin" };
const MARIAN = { subject: "marian", issuer: "https://archers.test", tokenIdentifier: "marian" };
const HALF_AN_HOUR = 1_800_000;

describe("take", () => {
  it("stores the hold and refuses a second one", async () => {
    const t = convexTest(schema);
    const hold = await t.withIdentity(ROBIN).mutation(api.lanes.take, { lane: 1 });
    expect(await t.run((ctx) => ctx.db.get(hold))).toMatchObject({ lane: 1, archer: "robin" });
    await expect(
      t.withIdentity(MARIAN).mutation(api.lanes.take, { lane: 1 }),
    ).rejects.toMatchObject({ data: "lane taken" });
    await expect(t.mutation(api.lanes.take, { lane: 2 })).rejects.toMatchObject({
      data: "not signed in",
    });
  });

  it("holds the lane for 30 minutes", async () => {
    vi.useFakeTimers();
    try {
      const t = convexTest(schema);
      const robin = t.withIdentity(ROBIN);
      const hold = await robin.mutation(api.lanes.take, { lane: 1 });
      await robin.mutation(api.lanes.shoot, { hold, points: 1 });

      vi.advanceTimersByTime(HALF_AN_HOUR - 1000);
      await t.finishInProgressScheduledFunctions();
      expect(await t.run((ctx) => ctx.db.get(hold))).not.toBeNull();

      vi.advanceTimersByTime(2000);
      await t.finishInProgressScheduledFunctions();
      expect(await t.run((ctx) => ctx.db.get(hold))).toBeNull();
      expect(await t.run((ctx) => ctx.db.query("arrows").collect())).toHaveLength(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("arrows", () => {
  it("are read in order, from 0 to 10 points", async () => {
    const robin = convexTest(schema).withIdentity(ROBIN);
    const hold = await robin.mutation(api.lanes.take, { lane: 1 });
    await robin.mutation(api.lanes.shoot, { hold, points: 10 });
    await robin.mutation(api.lanes.shoot, { hold, points: 0 });
    await expect(robin.mutation(api.lanes.shoot, { hold, points: 11 })).rejects.toThrow();
    await expect(robin.mutation(api.lanes.shoot, { hold, points: -1 })).rejects.toThrow();
    expect(await robin.query(api.lanes.sheet, { hold })).toStrictEqual([10, 0]);
  });

  it("are the archer's own", async () => {
    const t = convexTest(schema);
    const hold = await t.withIdentity(ROBIN).mutation(api.lanes.take, { lane: 1 });
    for (const caller of [t, t.withIdentity(MARIAN)]) {
      await expect(caller.mutation(api.lanes.shoot, { hold, points: 1 })).rejects.toThrow();
      await expect(caller.query(api.lanes.sheet, { hold })).rejects.toThrow();
    }
  });
});

describe("leave", () => {
  it("is refused to others", async () => {
    const t = convexTest(schema);
    const hold = await t.withIdentity(ROBIN).mutation(api.lanes.take, { lane: 1 });
    await expect(
      t.withIdentity(MARIAN).mutation(api.lanes.leave, { hold }),
    ).rejects.toMatchObject({ data: "no such hold" });
    expect(await t.run((ctx) => ctx.db.get(hold))).not.toBeNull();
  });

  it("deletes the hold with its arrows, and leaves others' alone", async () => {
    const t = convexTest(schema);
    const [mine, theirs] = await t.run(async (ctx) => [
      await ctx.db.insert("holds", { lane: 1, archer: "robin" }),
      await ctx.db.insert("holds", { lane: 2, archer: "marian" }),
    ]);
    await t.run(async (ctx) => {
      await ctx.db.insert("arrows", { hold: mine, points: 8 });
      await ctx.db.insert("arrows", { hold: theirs, points: 9 });
    });
    await t.withIdentity(ROBIN).mutation(api.lanes.leave, { hold: mine });
    const left = await t.run((ctx) => ctx.db.query("arrows").collect());
    expect(left.map((arrow) => arrow.hold)).toEqual([theirs]);
  });
});
