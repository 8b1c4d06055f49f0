// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/// <reference types="vite/client" />
import { convexTest } from "convex-test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { api } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import schema from "./schema";

type Zone = Id<"zones">;
type Permit = Id<"permits">;

const modules = import.meta.glob("./**/*.*s");

const MINUTE = 60 * 1000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

// A Monday; days 5 and 6 are a weekend.
const MONDAY = Date.UTC(2027, 2, 1);

const ISSUER = "https://visitors.example";
const OTHER_ISSUER = "https://others.example";

function at(day: number, hours = 0) {
  return MONDAY + day * DAY + hours * HOUR;
}

function start() {
  return convexTest(schema, modules);
}

let t: ReturnType<typeof start>;

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(at(0, 10));
  t = start();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Lets everything happen that is due. */
async function settle() {
  for (let round = 0; round < 3; round++) {
    vi.advanceTimersByTime(0);
    await t.finishInProgressScheduledFunctions();
  }
}

/** Goes on to a moment, with stops at each noon and midnight. */
async function goTo(moment: number) {
  while (Date.now() < moment) {
    const stop = (Math.floor(Date.now() / (DAY / 2)) + 1) * (DAY / 2);
    vi.advanceTimersByTime(Math.min(stop, moment) - Date.now());
    await settle();
  }
}

async function pass(duration: number) {
  await goTo(Date.now() + duration);
}

async function done<Result>(call: Promise<Result>) {
  const result = await call;
  await settle();
  return result;
}

async function expectRefusal(call: Promise<unknown>, text: string) {
  let refusal: unknown = "(not refused)";
  try {
    await call;
  } catch (error) {
    refusal =
      typeof error === "object" && error !== null && "data" in error ? error.data : error;
  }
  expect(refusal).toBe(text);
}

interface Claims {
  issuer?: string;
  role?: string;
  name?: string;
}

function person(subject: string, claims: Claims = {}) {
  const as = () => t.withIdentity({ issuer: ISSUER, subject, ...claims });
  const permits = () => as().query(api.permits.mine, {});
  const lines = () => as().query(api.line.mine, {});
  const notices = () => as().query(api.notices.mine, {});
  return {
    buy: (zone: Zone, plate: string, days = 1) =>
      done(as().mutation(api.permits.buy, { zone, plate, days })),
    extend: (permit: Permit, days: number) =>
      done(as().mutation(api.permits.extend, { permit, days })),
    // Without the sign that a zero may have.
    cancel: async (permit: Permit) =>
      (await done(as().mutation(api.permits.cancel, { permit }))) + 0,
    move: (permit: Permit, plate: string) =>
      done(as().mutation(api.permits.move, { permit, plate })),
    permits,
    permit: async (id: Permit) => (await permits()).find((permit) => permit.id === id),
    check: (zone: Zone, plate: string) => as().query(api.permits.check, { zone, plate }),
    join: (zone: Zone) => done(as().mutation(api.line.join, { zone })),
    leave: (zone: Zone) => done(as().mutation(api.line.leave, { zone })),
    lines,
    // When an offer ends; null while waiting without one, undefined outside of the line.
    offer: async (zone: Zone) => (await lines()).find((place) => place.zone === zone)?.offerEnds,
    notices,
    kinds: async () => (await notices()).map(({ kind }) => kind),
    open: (name: string, places: number, fee: number) =>
      done(as().mutation(api.zones.open, { name, places, fee })),
    change: (zone: Zone, places: number, fee = 100) =>
      done(as().mutation(api.zones.change, { zone, places, fee })),
    zones: () => as().query(api.zones.list, {}),
    takings: async (day: number) => {
      const date = new Date(at(day)).toISOString().slice(0, 10);
      return (await as().query(api.reports.takings, { day: date })) + 0;
    },
  };
}

type Person = ReturnType<typeof person>;

const sam = person("sam", { role: "staff" });
const wanda = person("wanda", { role: "warden" });
const ada = person("ada");
const bob = person("bob");
const carl = person("carl");
const dora = person("dora");
const eve = person("eve");
const fred = person("fred");
const gina = person("gina");

function open(places: number, fee = 100) {
  return sam.open("Harbour", places, fee);
}

async function free(zone: Zone) {
  return (await sam.zones()).find(({ id }) => id === zone)?.free;
}

/** Lets people join a line one after the other. */
async function queue(zone: Zone, ...people: Person[]) {
  for (const each of people) {
    await each.join(zone);
    await pass(MINUTE);
  }
}

describe("people", () => {
  test("refuse everything to whoever is not signed in, before anything else", async () => {
    const zone = await open(5);
    const full = await open(0);
    const permit = await ada.buy(zone, "A1", 2);
    const cancelled = await bob.buy(zone, "B1", 2);
    await bob.cancel(cancelled);
    const day = "2027-03-01";
    const calls: (() => Promise<unknown>)[] = [
      () => t.mutation(api.permits.buy, { zone, plate: "C1", days: 1 }),
      () => t.mutation(api.permits.buy, { zone, plate: "C1", days: 0 }),
      () => t.mutation(api.permits.buy, { zone, plate: "C1", days: 22 }),
      () => t.mutation(api.permits.buy, { zone, plate: "A1", days: 1 }),
      () => t.mutation(api.permits.buy, { zone: full, plate: "C1", days: 1 }),
      () => t.mutation(api.permits.extend, { permit, days: 1 }),
      () => t.mutation(api.permits.extend, { permit, days: 0 }),
      () => t.mutation(api.permits.extend, { permit: cancelled, days: 1 }),
      () => t.mutation(api.permits.move, { permit, plate: "C1" }),
      () => t.mutation(api.permits.move, { permit: cancelled, plate: "C1" }),
      () => t.mutation(api.permits.cancel, { permit }),
      () => t.mutation(api.permits.cancel, { permit: cancelled }),
      () => t.query(api.permits.mine, {}),
      () => t.query(api.permits.check, { zone, plate: "A1" }),
      () => t.mutation(api.line.join, { zone }),
      () => t.mutation(api.line.join, { zone: full }),
      () => t.mutation(api.line.leave, { zone }),
      () => t.query(api.line.mine, {}),
      () => t.query(api.notices.mine, {}),
      () => t.query(api.reports.takings, { day }),
      () => t.mutation(api.zones.open, { name: "Market", places: 1, fee: 1 }),
      () => t.mutation(api.zones.change, { zone, places: 1, fee: 1 }),
      () => t.query(api.zones.list, {}),
    ];
    for (const call of calls) await expectRefusal(call(), "not signed in");
    expect(await ada.permits()).toEqual([
      { id: permit, zone, plate: "A1", ends: at(2), paid: 200 },
    ]);
    expect(await sam.zones()).toHaveLength(2);
  });

  test("are told that a zone which does not exist is not found", async () => {
    let missing = await open(1);
    for (let more = 0; more < 9; more++) missing = await open(1);
    t = start();
    await open(1);
    await expectRefusal(ada.buy(missing, "A1"), "not found");
    await expectRefusal(ada.join(missing), "not found");
    await expectRefusal(sam.change(missing, 1), "not found");
  });

  test("of another issuer are somebody else", async () => {
    const twin = person("ada", { issuer: OTHER_ISSUER });
    const zone = await open(10);
    const permit = await ada.buy(zone, "A1", 3);
    await ada.buy(zone, "A2", 3);
    expect(await twin.permits()).toEqual([]);
    await expectRefusal(twin.extend(permit, 1), "not found");
    await expectRefusal(twin.move(permit, "A3"), "not found");
    await expectRefusal(twin.cancel(permit), "not found");
    await twin.buy(zone, "T1");
    await twin.buy(zone, "T2");
    expect(await twin.permits()).toHaveLength(2);
    expect(await ada.permits()).toHaveLength(2);
  });

  test("of another issuer have places, offers and notices of their own", async () => {
    const twin = person("ada", { issuer: OTHER_ISSUER });
    const zone = await open(1);
    const permit = await carl.buy(zone, "C1", 3);
    await queue(zone, ada);
    expect(await twin.lines()).toEqual([]);
    await expectRefusal(twin.leave(zone), "not in line");
    await queue(zone, twin);
    await carl.cancel(permit);
    expect(await ada.offer(zone)).toBe(Date.now() + DAY);
    expect(await twin.offer(zone)).toBeNull();
    expect(await ada.kinds()).toEqual(["offer"]);
    expect(await twin.kinds()).toEqual([]);
    await expectRefusal(twin.buy(zone, "T1"), "zone full");
    await twin.leave(zone);
    expect(await ada.offer(zone)).toBe(Date.now() + DAY);
    await ada.buy(zone, "A1");
  });

  test("stay the same whatever else they claim", async () => {
    const promoted = person("ada", { role: "staff", name: "Ada L." });
    const zone = await open(3);
    const permit = await ada.buy(zone, "A1", 3);
    expect(await promoted.permits()).toHaveLength(1);
    await promoted.extend(permit, 1);
    expect((await ada.permit(permit))?.ends).toBe(at(4));
    await ada.buy(zone, "A2");
    await expectRefusal(promoted.buy(zone, "A3"), "two permits");
    await promoted.cancel(permit);
    expect(await ada.permits()).toHaveLength(1);
  });

  test("do what their role allows", async () => {
    const visitor = person("vera", { role: "visitor" });
    const zone = await open(3, 100);
    await ada.buy(zone, "A1");
    for (const other of [ada, visitor, wanda]) {
      await expectRefusal(other.open("Market", 1, 1), "not allowed");
      await expectRefusal(other.change(zone, 9, 9), "not allowed");
      await expectRefusal(other.takings(0), "not allowed");
      expect(await other.zones()).toEqual([{ id: zone, name: "Harbour", fee: 100, free: 2 }]);
    }
    for (const other of [ada, bob, visitor]) {
      await expectRefusal(other.check(zone, "A1"), "not allowed");
      await expectRefusal(other.check(zone, "B1"), "not allowed");
    }
    for (const other of [wanda, sam]) {
      expect(await other.check(zone, "A1")).toBe(true);
      expect(await other.check(zone, "B1")).toBe(false);
    }
    expect(await sam.takings(0)).toBe(100);
    await sam.change(zone, 5, 300);
    expect(await ada.zones()).toEqual([{ id: zone, name: "Harbour", fee: 300, free: 4 }]);
  });

  test("neither see nor change what is somebody else's, not even staff", async () => {
    const zone = await open(2);
    const permit = await ada.buy(zone, "A1", 2);
    const other = await carl.buy(zone, "C1", 2);
    await queue(zone, dora);
    await carl.cancel(other);
    await goTo(at(1, 12));
    expect(await ada.kinds()).toEqual(["ends soon"]);
    expect(await dora.kinds()).toEqual(["offer"]);
    for (const stranger of [bob, sam, wanda]) {
      expect(await stranger.permits()).toEqual([]);
      expect(await stranger.lines()).toEqual([]);
      expect(await stranger.notices()).toEqual([]);
      await expectRefusal(stranger.extend(permit, 1), "not found");
      await expectRefusal(stranger.move(permit, "B1"), "not found");
      await expectRefusal(stranger.cancel(permit), "not found");
      await expectRefusal(stranger.leave(zone), "not in line");
    }
    expect(await ada.permits()).toEqual([
      { id: permit, zone, plate: "A1", ends: at(2), paid: 200 },
    ]);
  });
});

describe("permits", () => {
  test("are for whole days, at least one", async () => {
    const zone = await open(5);
    const permit = await ada.buy(zone, "A1", 3);
    for (const days of [0, -1, 0.5, 1.5]) {
      await expectRefusal(bob.buy(zone, "B1", days), "bad days");
      await expectRefusal(ada.extend(permit, days), "bad days");
    }
    expect((await ada.permit(permit))?.ends).toBe(at(3));
    expect(await bob.permits()).toEqual([]);
  });

  test("are valid until the midnight that ends their last day", async () => {
    const zone = await open(9);
    const permit = await ada.buy(zone, "A1", 1);
    const longer = await bob.buy(zone, "B1", 3);
    const moved = await carl.buy(zone, "C1", 5);
    expect((await ada.permit(permit))?.ends).toBe(at(1));
    expect((await bob.permit(longer))?.ends).toBe(at(3));

    await goTo(at(1) - 1);
    expect(await wanda.check(zone, "A1")).toBe(true);
    expect(await ada.permits()).toHaveLength(1);
    await expectRefusal(dora.buy(zone, "A1"), "plate has permit");
    await expectRefusal(carl.move(moved, "A1"), "plate has permit");

    await goTo(at(1));
    expect(await wanda.check(zone, "A1")).toBe(false);
    expect(await ada.permits()).toEqual([]);
    await expectRefusal(ada.extend(permit, 1), "not found");
    await expectRefusal(ada.move(permit, "A2"), "not found");
    await expectRefusal(ada.cancel(permit), "not found");
    await carl.move(moved, "A1");
    expect(await wanda.check(zone, "A1")).toBe(true);

    await goTo(at(3) - 1);
    expect(await wanda.check(zone, "B1")).toBe(true);
    await goTo(at(3));
    expect(await wanda.check(zone, "B1")).toBe(false);
    expect(await bob.permits()).toEqual([]);
    await dora.buy(zone, "B1");
  });

  test("have the day of the purchase as their first, at its borders too", async () => {
    const zone = await open(9);
    await goTo(at(1));
    const early = await ada.buy(zone, "A1", 1);
    expect((await ada.permit(early))?.ends).toBe(at(2));
    await goTo(at(2) - 1);
    const late = await bob.buy(zone, "B1", 1);
    expect((await bob.permit(late))?.ends).toBe(at(2));
    expect(await wanda.check(zone, "B1")).toBe(true);
    await goTo(at(2));
    expect(await wanda.check(zone, "A1")).toBe(false);
    expect(await wanda.check(zone, "B1")).toBe(false);
  });

  test("are extended after their last day, up to its last moment", async () => {
    const zone = await open(9);
    const permit = await ada.buy(zone, "A1", 2);
    await ada.extend(permit, 2);
    expect((await ada.permit(permit))?.ends).toBe(at(4));
    await goTo(at(4) - 1);
    await ada.extend(permit, 1);
    expect((await ada.permit(permit))?.ends).toBe(at(5));
    await goTo(at(5) - 1);
    expect(await wanda.check(zone, "A1")).toBe(true);
    await goTo(at(5));
    expect(await wanda.check(zone, "A1")).toBe(false);
  });

  test("reach no more than 21 days ahead", async () => {
    const zone = await open(9);
    await expectRefusal(ada.buy(zone, "A1", 22), "too long");
    const longest = await ada.buy(zone, "A1", 21);
    expect((await ada.permit(longest))?.ends).toBe(at(21));
    const permit = await bob.buy(zone, "B1", 20);
    await expectRefusal(bob.extend(permit, 2), "too long");
    await bob.extend(permit, 1);
    await expectRefusal(bob.extend(permit, 1), "too long");

    await goTo(at(1) - 1);
    await expectRefusal(bob.extend(permit, 1), "too long");
    await expectRefusal(carl.buy(zone, "C1", 22), "too long");
    await carl.buy(zone, "C1", 21);

    await goTo(at(1));
    await expectRefusal(bob.extend(permit, 2), "too long");
    await bob.extend(permit, 1);
    expect((await bob.permit(permit))?.ends).toBe(at(22));
    await expectRefusal(dora.buy(zone, "D1", 22), "too long");
    await dora.buy(zone, "D1", 21);

    await goTo(at(12, 9));
    await expectRefusal(bob.extend(permit, 12), "too long");
    await bob.extend(permit, 11);
    expect((await bob.permit(permit))?.ends).toBe(at(33));
  });

  test("take plates however they are written", async () => {
    const zone = await open(9);
    const first = await ada.buy(zone, " ab-1 2-c d ", 2);
    expect((await ada.permit(first))?.plate).toBe("AB12CD");
    for (const plate of ["AB12CD", "ab12cd", "A B 1 2 C D", "a-b-1-2-c-d", " Ab12cD-"]) {
      expect(await wanda.check(zone, plate)).toBe(true);
      await expectRefusal(bob.buy(zone, plate), "plate has permit");
    }
    for (const plate of ["AB12CE", "AB12C", "B12CD", "AB12CDE"])
      expect(await wanda.check(zone, plate)).toBe(false);

    const second = await bob.buy(zone, "XY1", 2);
    for (const plate of ["AB12CD", "ab12cd", "a b 12-c-d"])
      await expectRefusal(bob.move(second, plate), "plate has permit");
    await bob.move(second, "z-z 9 - 9");
    expect((await bob.permit(second))?.plate).toBe("ZZ99");
    expect(await wanda.check(zone, "ZZ99")).toBe(true);
    expect(await wanda.check(zone, "zz 99")).toBe(true);
    await expectRefusal(carl.buy(zone, "zz-99"), "plate has permit");
  });

  test("are one for each plate in a zone", async () => {
    const zone = await open(9);
    const other = await open(9);
    const permit = await ada.buy(zone, "A1", 3);
    await expectRefusal(ada.buy(zone, "A1"), "plate has permit");
    await expectRefusal(bob.buy(zone, "A1"), "plate has permit");
    expect(await wanda.check(other, "A1")).toBe(false);
    await bob.buy(other, "A1");
    expect(await wanda.check(other, "A1")).toBe(true);
    await ada.cancel(permit);
    expect(await wanda.check(zone, "A1")).toBe(false);
    expect(await wanda.check(other, "A1")).toBe(true);
    await carl.buy(zone, "A1");
    expect(await wanda.check(zone, "A1")).toBe(true);
  });

  test("can be moved to another plate", async () => {
    const zone = await open(9);
    const other = await open(9);
    const permit = await ada.buy(zone, "A1", 3);
    const second = await ada.buy(zone, "A2", 3);
    await bob.buy(other, "B1", 3);
    const cancelled = await carl.buy(zone, "C1", 3);
    await expectRefusal(ada.move(permit, "A2"), "plate has permit");
    await expectRefusal(ada.move(permit, "C1"), "plate has permit");
    expect(await wanda.check(zone, "A1")).toBe(true);

    await ada.move(permit, "B1");
    expect(await ada.permit(permit)).toEqual({
      id: permit,
      zone,
      plate: "B1",
      ends: at(3),
      paid: 300,
    });
    expect(await wanda.check(zone, "A1")).toBe(false);
    expect(await wanda.check(zone, "B1")).toBe(true);
    await expectRefusal(dora.buy(zone, "B1"), "plate has permit");
    await dora.buy(zone, "A1", 3);
    await expectRefusal(ada.move(permit, "A1"), "plate has permit");
    await ada.move(permit, "b-1");
    expect((await ada.permit(permit))?.plate).toBe("B1");

    await carl.cancel(cancelled);
    await ada.move(permit, "C1");
    expect(await wanda.check(zone, "C1")).toBe(true);
    expect(await wanda.check(zone, "B1")).toBe(false);
    expect((await ada.permit(second))?.plate).toBe("A2");
    await goTo(at(3));
    expect(await wanda.check(zone, "C1")).toBe(false);
  });

  test("are two for each person, in all zones together", async () => {
    const zone = await open(9);
    const other = await open(9);
    const permit = await ada.buy(zone, "A1", 1);
    await ada.buy(other, "A2", 1);
    await expectRefusal(ada.buy(zone, "A3"), "two permits");
    await expectRefusal(ada.buy(other, "A3"), "two permits");
    await ada.cancel(permit);
    const again = await ada.buy(zone, "A1", 1);
    await expectRefusal(ada.buy(zone, "A3"), "two permits");
    await bob.buy(zone, "B1", 2);
    const third = await bob.buy(zone, "B2", 2);
    await expectRefusal(bob.buy(zone, "B3"), "two permits");
    await bob.extend(third, 1);

    await goTo(at(1) - 1);
    await expectRefusal(ada.buy(zone, "A3"), "two permits");
    await ada.extend(again, 1);
    await goTo(at(1));
    await ada.buy(zone, "A3", 1);
    await expectRefusal(ada.buy(zone, "A4"), "two permits");
    await expectRefusal(bob.buy(zone, "B3"), "two permits");
    await goTo(at(2));
    await ada.buy(zone, "A4", 1);
    await ada.buy(other, "A5", 1);
    await expectRefusal(ada.buy(other, "A6"), "two permits");
  });

  test("end when they are cancelled", async () => {
    const zone = await open(1);
    const permit = await ada.buy(zone, "A1", 3);
    await pass(2 * HOUR);
    await ada.cancel(permit);
    expect(await ada.permits()).toEqual([]);
    expect(await wanda.check(zone, "A1")).toBe(false);
    expect(await free(zone)).toBe(1);
    await expectRefusal(ada.extend(permit, 1), "not found");
    await expectRefusal(ada.move(permit, "A2"), "not found");
    await expectRefusal(ada.cancel(permit), "not found");
  });
});

describe("prices", () => {
  async function price(zone: Zone, days: number) {
    const id = await ada.buy(zone, "A1", days);
    const paid = (await ada.permit(id))?.paid;
    await ada.cancel(id);
    return paid;
  }

  test("are half on Saturdays and Sundays", async () => {
    const zone = await open(9, 101);
    for (let day = 0; day < 14; day++) {
      const expected = day % 7 >= 5 ? 50 : 101;
      await goTo(at(day));
      expect(await price(zone, 1)).toBe(expected);
      await goTo(at(day + 1) - 1);
      expect(await price(zone, 1)).toBe(expected);
    }
  });

  test("lose the fraction of a cent once", async () => {
    const zone = await open(9, 101);
    await goTo(at(4, 15));
    expect(await price(zone, 2)).toBe(151);
    expect(await price(zone, 3)).toBe(202);
    await goTo(at(5, 15));
    expect(await price(zone, 2)).toBe(101);
    await sam.change(zone, 9, 105);
    expect(await price(zone, 8)).toBe(614);
    await sam.change(zone, 9, 107);
    expect(await price(zone, 8)).toBe(625);
  });

  test("are a tenth less from seven days on", async () => {
    const zone = await open(9, 101);
    expect(await price(zone, 5)).toBe(505);
    expect(await price(zone, 6)).toBe(555);
    expect(await price(zone, 7)).toBe(545);
    expect(await price(zone, 8)).toBe(636);
    expect(await price(zone, 21)).toBe(1636);
  });

  test("of extensions are those of their own days", async () => {
    const zone = await open(9);
    await goTo(at(3, 10));
    const permit = await ada.buy(zone, "A1", 2);
    expect((await ada.permit(permit))?.paid).toBe(200);
    await ada.extend(permit, 2);
    expect((await ada.permit(permit))?.paid).toBe(300);
    await ada.extend(permit, 1);
    expect((await ada.permit(permit))?.paid).toBe(400);
  });

  test("of extensions are reduced by their own length", async () => {
    const zone = await open(9);
    const cases: [number, number, number, number][] = [
      [3, 300, 4, 600],
      [1, 100, 6, 600],
      [1, 100, 7, 640],
      [7, 540, 1, 640],
      [7, 540, 7, 1080],
    ];
    for (const [days, paid, more, together] of cases) {
      const permit = await ada.buy(zone, "A1", days);
      expect((await ada.permit(permit))?.paid).toBe(paid);
      await ada.extend(permit, more);
      expect((await ada.permit(permit))?.paid).toBe(together);
      await ada.cancel(permit);
    }
  });

  test("of extensions lose a fraction by themselves", async () => {
    const zone = await open(9, 101);
    await goTo(at(5, 10));
    const permit = await ada.buy(zone, "A1", 1);
    await ada.extend(permit, 1);
    expect((await ada.permit(permit))?.paid).toBe(100);
  });

  test("go by the fee of the moment", async () => {
    const zone = await open(9, 100);
    const permit = await ada.buy(zone, "A1", 1);
    await sam.change(zone, 9, 200);
    expect((await ada.permit(permit))?.paid).toBe(100);
    await ada.extend(permit, 1);
    expect((await ada.permit(permit))?.paid).toBe(300);
    const other = await bob.buy(zone, "B1", 2);
    expect((await bob.permit(other))?.paid).toBe(400);
  });
});

describe("refunds", () => {
  test("are everything in the first hour, extensions too", async () => {
    const zone = await open(9);
    const permit = await ada.buy(zone, "A1", 3);
    const later = await bob.buy(zone, "B1", 3);
    await pass(30 * MINUTE);
    await ada.extend(permit, 1);
    await bob.extend(later, 1);
    await bob.move(later, "B2");
    await goTo(at(0, 11) - 1);
    expect(await ada.cancel(permit)).toBe(400);
    await goTo(at(0, 11));
    expect(await bob.cancel(later)).toBe(300);
  });

  test("are everything in the first hour across midnight", async () => {
    const zone = await open(9);
    await goTo(at(0, 23.5));
    const permit = await ada.buy(zone, "A1", 2);
    const later = await bob.buy(zone, "B1", 2);
    await goTo(at(1, 0.25));
    expect(await ada.cancel(permit)).toBe(200);
    await goTo(at(1, 0.5));
    expect(await bob.cancel(later)).toBe(0);
  });

  test("count the hour from the purchase, not from an extension", async () => {
    const zone = await open(9);
    const permit = await ada.buy(zone, "A1", 1);
    await goTo(at(0, 15));
    await ada.extend(permit, 1);
    await pass(MINUTE);
    expect(await ada.cancel(permit)).toBe(100);
  });

  test("are for the days that have not begun, without a fraction", async () => {
    const zone = await open(9, 101);
    const cases: [number, number][] = [
      [at(0, 12), 467],
      [at(1) - 1, 467],
      [at(1), 389],
      [at(3, 10), 233],
      [at(6) - 1, 77],
      [at(6), 0],
      [at(7) - 1, 0],
    ];
    const permits: Permit[] = [];
    for (const index of cases.keys())
      permits.push(await person(`p${index}`).buy(zone, `P${index}`, 7));
    for (const [index, [moment, refund]] of cases.entries()) {
      await goTo(moment);
      const permit = permits[index];
      if (permit === undefined) throw new Error("no permit");
      expect(await person(`p${index}`).cancel(permit)).toBe(refund);
    }
  });

  test("are a share of everything paid, whatever single days cost", async () => {
    const zone = await open(9);
    const long = await bob.buy(zone, "B1", 1);
    await bob.extend(long, 7);
    await goTo(at(0, 12));
    await sam.change(zone, 9, 700);
    expect(await bob.cancel(long)).toBe(560);

    await sam.change(zone, 9, 100);
    await goTo(at(3, 10));
    const permit = await ada.buy(zone, "A1", 2);
    const other = await carl.buy(zone, "C1", 2);
    await ada.extend(permit, 2);
    await carl.extend(other, 2);
    await goTo(at(3, 12));
    expect(await ada.cancel(permit)).toBe(225);
    await goTo(at(5, 12));
    expect(await carl.cancel(other)).toBe(75);
  });
});

describe("takings", () => {
  test("are what was paid on a day, in all zones", async () => {
    const zone = await open(9, 100);
    const other = await open(9, 50);
    expect(await sam.takings(0)).toBe(0);
    await ada.buy(zone, "A1", 2);
    const permit = await bob.buy(other, "B1", 1);
    expect(await sam.takings(0)).toBe(250);
    await bob.extend(permit, 2);
    expect(await sam.takings(0)).toBe(350);
    await goTo(at(1) - 1);
    await carl.buy(zone, "C1", 3);
    expect(await sam.takings(0)).toBe(650);
    expect(await sam.takings(1)).toBe(0);
    await goTo(at(1));
    await dora.buy(zone, "D1", 1);
    expect(await sam.takings(0)).toBe(650);
    expect(await sam.takings(1)).toBe(100);
    await goTo(at(2, 10));
    await bob.extend(permit, 1);
    expect(await sam.takings(0)).toBe(650);
    expect(await sam.takings(1)).toBe(100);
    expect(await sam.takings(2)).toBe(50);
    expect(await sam.takings(-1)).toBe(0);
  });

  test("are less by what was paid back on that day", async () => {
    const zone = await open(9);
    const first = await ada.buy(zone, "A1", 4);
    const second = await bob.buy(zone, "B1", 4);
    await bob.cancel(second);
    expect(await sam.takings(0)).toBe(400);
    await goTo(at(0, 23.5));
    const third = await bob.buy(zone, "B1", 2);
    const fourth = await carl.buy(zone, "C1", 4);
    expect(await sam.takings(0)).toBe(1000);
    await goTo(at(1) - 1);
    await carl.cancel(fourth);
    expect(await sam.takings(0)).toBe(600);
    await goTo(at(1));
    await bob.cancel(third);
    expect(await sam.takings(0)).toBe(600);
    expect(await sam.takings(1)).toBe(-200);
    await goTo(at(1, 10));
    await dora.buy(zone, "D1", 1);
    expect(await ada.cancel(first)).toBe(200);
    expect(await sam.takings(0)).toBe(600);
    expect(await sam.takings(1)).toBe(-300);
    expect(await sam.takings(2)).toBe(0);
  });
});

describe("places", () => {
  test("are taken by valid permits", async () => {
    const zone = await open(2);
    expect(await free(zone)).toBe(2);
    await ada.buy(zone, "A1", 1);
    expect(await free(zone)).toBe(1);
    await expectRefusal(bob.join(zone), "places free");
    await bob.buy(zone, "B1", 2);
    expect(await free(zone)).toBe(0);
    await expectRefusal(carl.buy(zone, "C1"), "zone full");
    await goTo(at(1) - 1);
    expect(await free(zone)).toBe(0);
    await expectRefusal(carl.buy(zone, "C1"), "zone full");
    await goTo(at(1));
    expect(await free(zone)).toBe(1);
    await expectRefusal(dora.join(zone), "places free");
    await carl.buy(zone, "C1");
    expect(await free(zone)).toBe(0);
    await expectRefusal(dora.buy(zone, "D1"), "zone full");
  });

  test("are those of one zone", async () => {
    const zone = await open(1);
    const other = await open(1);
    await ada.buy(zone, "A1", 3);
    expect(await free(zone)).toBe(0);
    expect(await free(other)).toBe(1);
    await expectRefusal(bob.join(other), "places free");
    await bob.buy(other, "B1", 3);
  });

  test("stay taken if there are fewer", async () => {
    const zone = await open(3);
    const first = await ada.buy(zone, "A1", 9);
    const second = await bob.buy(zone, "B1", 9);
    const third = await carl.buy(zone, "C1", 9);
    await queue(zone, dora, eve);
    await sam.change(zone, 1);
    expect(await free(zone)).toBe(0);
    for (const plate of ["A1", "B1", "C1"]) expect(await wanda.check(zone, plate)).toBe(true);
    await ada.extend(first, 1);
    await ada.cancel(first);
    expect(await free(zone)).toBe(0);
    expect(await dora.offer(zone)).toBeNull();
    await expectRefusal(fred.buy(zone, "F1"), "zone full");
    await fred.join(zone);
    await bob.cancel(second);
    expect(await dora.offer(zone)).toBeNull();
    expect(await free(zone)).toBe(0);
    await carl.cancel(third);
    expect(await dora.offer(zone)).toBe(Date.now() + DAY);
    expect(await eve.offer(zone)).toBeNull();
    expect(await fred.offer(zone)).toBeNull();
  });

  test("are free again only when fewer are taken than there are", async () => {
    const zone = await open(3);
    await ada.buy(zone, "A1", 9);
    await bob.buy(zone, "B1", 9);
    await carl.buy(zone, "C1", 9);
    await sam.change(zone, 1);
    await queue(zone, dora, eve);
    await sam.change(zone, 2);
    expect(await dora.offer(zone)).toBeNull();
    await sam.change(zone, 3);
    expect(await dora.offer(zone)).toBeNull();
    await sam.change(zone, 4);
    expect(await dora.offer(zone)).toBe(Date.now() + DAY);
    expect(await eve.offer(zone)).toBeNull();
  });

  test("that are offered stay so if there are fewer", async () => {
    const zone = await open(1);
    const permit = await ada.buy(zone, "A1", 9);
    await queue(zone, bob, carl);
    await ada.cancel(permit);
    const ends = Date.now() + DAY;
    await pass(HOUR);
    await sam.change(zone, 0);
    expect(await bob.offer(zone)).toBe(ends);
    expect(await free(zone)).toBe(0);
    await goTo(ends - 1);
    const bought = await bob.buy(zone, "B1", 3);
    expect(await wanda.check(zone, "B1")).toBe(true);
    expect(await bob.lines()).toEqual([]);
    await bob.cancel(bought);
    expect(await carl.offer(zone)).toBeNull();
    expect(await free(zone)).toBe(0);
  });

  test("of lapsed offers are not passed on if there are fewer", async () => {
    const zone = await open(1);
    const permit = await ada.buy(zone, "A1", 9);
    await queue(zone, bob, carl);
    await ada.cancel(permit);
    const ends = Date.now() + DAY;
    await sam.change(zone, 0);
    await goTo(ends);
    expect(await bob.offer(zone)).toBeUndefined();
    expect(await carl.offer(zone)).toBeNull();
    await pass(HOUR);
    await sam.change(zone, 1);
    expect(await carl.offer(zone)).toBe(Date.now() + DAY);
  });
});

describe("lines", () => {
  test("are joined once and left", async () => {
    const zone = await open(1);
    const other = await open(1);
    await ada.buy(zone, "A1", 3);
    await ada.buy(other, "A1", 3);
    await expectRefusal(bob.leave(zone), "not in line");
    await bob.join(zone);
    expect(await bob.lines()).toEqual([{ zone, offerEnds: null }]);
    await expectRefusal(bob.join(zone), "in line already");
    await expectRefusal(bob.leave(other), "not in line");
    await bob.join(other);
    await expectRefusal(bob.join(other), "in line already");
    await carl.join(zone);
    expect(await bob.lines()).toHaveLength(2);
    await bob.leave(zone);
    expect(await bob.lines()).toEqual([{ zone: other, offerEnds: null }]);
    await expectRefusal(bob.leave(zone), "not in line");
    expect(await carl.lines()).toEqual([{ zone, offerEnds: null }]);
    await bob.join(zone);
    expect(await bob.lines()).toHaveLength(2);
    expect(await bob.notices()).toEqual([]);
  });

  test("give a cancelled place to whoever has waited longest", async () => {
    const zone = await open(1);
    const permit = await ada.buy(zone, "A1", 9);
    await queue(zone, dora, bob, carl);
    expect(await dora.notices()).toEqual([]);
    await ada.cancel(permit);
    const ends = Date.now() + DAY;
    expect(await dora.lines()).toEqual([{ zone, offerEnds: ends }]);
    expect(await bob.lines()).toEqual([{ zone, offerEnds: null }]);
    expect(await carl.lines()).toEqual([{ zone, offerEnds: null }]);
    expect(await dora.notices()).toEqual([{ zone, kind: "offer" }]);
    expect(await bob.notices()).toEqual([]);
    expect(await free(zone)).toBe(0);

    await pass(HOUR);
    await expectRefusal(bob.buy(zone, "B1"), "zone full");
    await expectRefusal(eve.buy(zone, "E1"), "zone full");
    await expectRefusal(dora.join(zone), "in line already");
    await eve.join(zone);
    expect(await dora.offer(zone)).toBe(ends);

    const bought = await dora.buy(zone, "D1", 9);
    expect(await dora.lines()).toEqual([]);
    await expectRefusal(dora.leave(zone), "not in line");
    expect(await bob.offer(zone)).toBeNull();
    expect(await free(zone)).toBe(0);
    await pass(MINUTE);
    await dora.join(zone);
    await goTo(ends);
    expect(await dora.offer(zone)).toBeNull();
    expect(await bob.offer(zone)).toBeNull();
    await dora.cancel(bought);
    expect(await bob.offer(zone)).toBe(ends + DAY);
    expect(await carl.offer(zone)).toBeNull();
    expect(await dora.offer(zone)).toBeNull();
    expect(await dora.kinds()).toEqual(["offer"]);
  });

  test("put whoever comes again at their end", async () => {
    const zone = await open(1);
    const permit = await ada.buy(zone, "A1", 9);
    await queue(zone, bob, carl);
    await bob.leave(zone);
    expect(await carl.offer(zone)).toBeNull();
    await queue(zone, bob);
    await ada.cancel(permit);
    expect(await carl.offer(zone)).toBe(Date.now() + DAY);
    expect(await bob.offer(zone)).toBeNull();
  });

  test("give the place of an ended permit, and of a lapsed offer", async () => {
    const zone = await open(1);
    await ada.buy(zone, "A1", 1);
    await queue(zone, carl, bob);
    await goTo(at(1) - 1);
    expect(await carl.offer(zone)).toBeNull();
    expect(await carl.notices()).toEqual([]);
    await goTo(at(1));
    expect(await carl.offer(zone)).toBe(at(2));
    expect(await bob.offer(zone)).toBeNull();
    expect(await carl.kinds()).toEqual(["offer"]);

    await goTo(at(2) - 1);
    expect(await carl.offer(zone)).toBe(at(2));
    expect(await bob.offer(zone)).toBeNull();
    expect(await bob.notices()).toEqual([]);
    await expectRefusal(bob.buy(zone, "B1"), "zone full");
    await goTo(at(2));
    expect(await carl.lines()).toEqual([]);
    expect(await bob.offer(zone)).toBe(at(3));
    expect(await bob.kinds()).toEqual(["offer"]);
    expect(await free(zone)).toBe(0);
    await expectRefusal(carl.buy(zone, "C1"), "zone full");
    await expectRefusal(carl.leave(zone), "not in line");
    await carl.join(zone);

    await goTo(at(3) - 1);
    await bob.buy(zone, "B1", 2);
    await goTo(at(3));
    expect(await carl.offer(zone)).toBeNull();
    expect(await bob.permits()).toHaveLength(1);
    await goTo(at(4));
    expect(await carl.offer(zone)).toBe(at(5));
    expect(await carl.kinds()).toEqual(["offer", "offer"]);
  });

  test("leave a place free if nobody waits any more", async () => {
    const zone = await open(1);
    const permit = await ada.buy(zone, "A1", 9);
    await queue(zone, bob);
    await ada.cancel(permit);
    const ends = Date.now() + DAY;
    await goTo(ends - 1);
    expect(await free(zone)).toBe(0);
    await carl.join(zone);
    await carl.leave(zone);
    await expectRefusal(carl.buy(zone, "C1"), "zone full");
    await goTo(ends);
    expect(await bob.lines()).toEqual([]);
    expect(await free(zone)).toBe(1);
    await expectRefusal(carl.join(zone), "places free");
    await expectRefusal(bob.join(zone), "places free");
    await bob.buy(zone, "B1");
    expect(await free(zone)).toBe(0);
  });

  test("pass on an offer that is given up", async () => {
    const zone = await open(1);
    const permit = await ada.buy(zone, "A1", 9);
    await queue(zone, bob, carl, dora);
    await ada.cancel(permit);
    await pass(HOUR);
    await bob.leave(zone);
    const ends = Date.now() + DAY;
    expect(await bob.lines()).toEqual([]);
    expect(await carl.offer(zone)).toBe(ends);
    expect(await dora.offer(zone)).toBeNull();
    expect(await carl.kinds()).toEqual(["offer"]);
    await expectRefusal(bob.buy(zone, "B1"), "zone full");
    await dora.leave(zone);
    expect(await carl.offer(zone)).toBe(ends);
    await goTo(ends - HOUR);
    expect(await carl.offer(zone)).toBe(ends);
    await goTo(ends - 1);
    await carl.buy(zone, "C1", 2);
  });

  test("give several places to several people", async () => {
    const zone = await open(2);
    await ada.buy(zone, "A1", 1);
    await bob.buy(zone, "B1", 1);
    await queue(zone, carl, dora, eve, fred);
    await goTo(at(1));
    expect(await carl.offer(zone)).toBe(at(2));
    expect(await dora.offer(zone)).toBe(at(2));
    expect(await eve.offer(zone)).toBeNull();
    expect(await fred.offer(zone)).toBeNull();
    await goTo(at(2));
    expect(await carl.lines()).toEqual([]);
    expect(await dora.lines()).toEqual([]);
    expect(await eve.offer(zone)).toBe(at(3));
    expect(await fred.offer(zone)).toBe(at(3));
    expect(await eve.kinds()).toEqual(["offer"]);
    expect(await fred.kinds()).toEqual(["offer"]);
    await fred.buy(zone, "F1", 9);
    expect(await free(zone)).toBe(0);
    await goTo(at(3));
    expect(await eve.lines()).toEqual([]);
    expect(await free(zone)).toBe(1);
  });

  test("give the places of a permit and an offer that end together", async () => {
    const zone = await open(2);
    await ada.buy(zone, "A1", 2);
    await bob.buy(zone, "B1", 1);
    await queue(zone, carl, dora, eve, fred);
    await goTo(at(1));
    expect(await carl.offer(zone)).toBe(at(2));
    expect(await dora.offer(zone)).toBeNull();
    await goTo(at(2));
    expect(await carl.lines()).toEqual([]);
    expect(await dora.offer(zone)).toBe(at(3));
    expect(await eve.offer(zone)).toBe(at(3));
    expect(await fred.offer(zone)).toBeNull();
  });

  test("give new places, as many as there are", async () => {
    const zone = await open(1);
    await ada.buy(zone, "A1", 9);
    await queue(zone, bob, carl, dora);
    await sam.change(zone, 1, 200);
    expect(await bob.offer(zone)).toBeNull();
    await sam.change(zone, 3);
    const ends = Date.now() + DAY;
    expect(await bob.offer(zone)).toBe(ends);
    expect(await carl.offer(zone)).toBe(ends);
    expect(await dora.offer(zone)).toBeNull();
    expect(await free(zone)).toBe(0);
    expect(await bob.kinds()).toEqual(["offer"]);
    expect(await carl.kinds()).toEqual(["offer"]);
    expect(await dora.kinds()).toEqual([]);

    await pass(HOUR);
    await sam.change(zone, 5);
    expect(await bob.offer(zone)).toBe(ends);
    expect(await dora.offer(zone)).toBe(ends + HOUR);
    expect(await bob.kinds()).toEqual(["offer"]);
    expect(await free(zone)).toBe(1);
    await expectRefusal(eve.join(zone), "places free");
    await eve.buy(zone, "E1", 9);
    expect(await free(zone)).toBe(0);
    await expectRefusal(fred.buy(zone, "F1"), "zone full");
    await carl.buy(zone, "C1", 9);
    await bob.buy(zone, "B1", 9);
    await dora.buy(zone, "D1", 9);
    await expectRefusal(fred.buy(zone, "F1"), "zone full");
  });

  test("are left by whoever buys with an offer, though another place is free", async () => {
    const zone = await open(2);
    await ada.buy(zone, "A1", 9);
    const permit = await bob.buy(zone, "B1", 9);
    await queue(zone, carl);
    await bob.cancel(permit);
    await sam.change(zone, 3);
    expect(await free(zone)).toBe(1);
    await carl.buy(zone, "C1", 9);
    expect(await carl.lines()).toEqual([]);
    expect(await free(zone)).toBe(1);
    await dora.buy(zone, "D1", 9);
    await expectRefusal(eve.buy(zone, "E1"), "zone full");
  });

  test("of several zones are apart", async () => {
    const zone = await open(1);
    const other = await open(1);
    const third = await open(5);
    const permit = await ada.buy(zone, "A1", 9);
    const second = await gina.buy(other, "G1", 9);
    await queue(other, bob, carl);
    await queue(zone, carl, bob);
    await ada.cancel(permit);
    const ends = Date.now() + DAY;
    expect(await carl.offer(zone)).toBe(ends);
    expect(await carl.offer(other)).toBeNull();
    expect(await bob.offer(zone)).toBeNull();
    expect(await bob.offer(other)).toBeNull();
    expect(await carl.notices()).toEqual([{ zone, kind: "offer" }]);
    await expectRefusal(carl.buy(other, "C1"), "zone full");
    await bob.buy(third, "B1", 9);
    expect(await bob.lines()).toHaveLength(2);

    await goTo(ends);
    expect(await carl.offer(zone)).toBeUndefined();
    expect(await carl.offer(other)).toBeNull();
    expect(await bob.offer(zone)).toBe(ends + DAY);
    await bob.buy(zone, "B1", 9);
    expect(await bob.lines()).toEqual([{ zone: other, offerEnds: null }]);
    await gina.cancel(second);
    expect(await bob.offer(other)).toBe(Date.now() + DAY);
    expect(await carl.offer(other)).toBeNull();
    await bob.leave(other);
    expect(await carl.offer(other)).toBe(Date.now() + DAY);
  });

  test("let a new offer stand when a former one would have lapsed", async () => {
    const zone = await open(1);
    const permit = await ada.buy(zone, "A1", 9);
    await bob.join(zone);
    await ada.cancel(permit);
    expect(await bob.offer(zone)).toBe(at(1, 10));
    await goTo(at(0, 11));
    await bob.leave(zone);
    expect(await free(zone)).toBe(1);
    const other = await eve.buy(zone, "E1", 9);
    await queue(zone, bob, carl);
    await goTo(at(0, 13));
    await eve.cancel(other);
    expect(await bob.offer(zone)).toBe(at(1, 13));
    await goTo(at(1, 10));
    expect(await bob.offer(zone)).toBe(at(1, 13));
    expect(await carl.offer(zone)).toBeNull();
    await goTo(at(1, 13) - 1);
    expect(await bob.offer(zone)).toBe(at(1, 13));
    expect(await carl.offer(zone)).toBeNull();
    await bob.buy(zone, "B1", 2);
    expect(await bob.kinds()).toEqual(["offer", "offer"]);
  });

  test("get no place at the former end of an extended permit", async () => {
    const zone = await open(1);
    const permit = await ada.buy(zone, "A1", 1);
    await queue(zone, bob);
    await ada.extend(permit, 1);
    await goTo(at(1));
    expect(await bob.offer(zone)).toBeNull();
    expect(await free(zone)).toBe(0);
    await goTo(at(2) - 1);
    expect(await bob.offer(zone)).toBeNull();
    await goTo(at(2));
    expect(await bob.offer(zone)).toBe(at(3));
  });

  test("get the place of a cancelled permit once", async () => {
    const zone = await open(1);
    const permit = await ada.buy(zone, "A1", 2);
    await queue(zone, bob, carl);
    await ada.cancel(permit);
    await bob.buy(zone, "B1", 9);
    for (const day of [1, 2, 3]) {
      await goTo(at(day));
      expect(await carl.offer(zone)).toBeNull();
      expect(await bob.permits()).toHaveLength(1);
    }
    expect(await ada.notices()).toEqual([]);
  });

  test("keep an offer for whoever is refused a purchase", async () => {
    const zone = await open(2);
    const big = await open(9);
    await ada.buy(zone, "A1", 9);
    const permit = await bob.buy(zone, "B1", 9);
    const first = await carl.buy(big, "C1", 9);
    await carl.buy(big, "C2", 9);
    await queue(zone, carl, dora);
    await bob.cancel(permit);
    const ends = Date.now() + DAY;
    await expectRefusal(carl.buy(zone, "C3"), "two permits");
    expect(await carl.offer(zone)).toBe(ends);
    await carl.cancel(first);
    await expectRefusal(carl.buy(zone, "a-1"), "plate has permit");
    await expectRefusal(carl.buy(zone, "C3", 0), "bad days");
    await expectRefusal(carl.buy(zone, "C3", 22), "too long");
    expect(await carl.offer(zone)).toBe(ends);
    expect(await dora.offer(zone)).toBeNull();
    await carl.buy(zone, "C3", 2);
    expect(await carl.lines()).toEqual([]);
    expect(await dora.offer(zone)).toBeNull();
  });
});

describe("notices", () => {
  test("come at noon of the last day and at the end", async () => {
    const zone = await open(9);
    const other = await open(9);
    await ada.buy(zone, "A1", 1);
    await bob.buy(other, "B1", 3);
    expect(await ada.notices()).toEqual([]);
    await goTo(at(0, 12) - 1);
    expect(await ada.notices()).toEqual([]);
    await goTo(at(0, 12));
    expect(await ada.notices()).toEqual([{ zone, kind: "ends soon" }]);
    await goTo(at(1) - 1);
    expect(await ada.kinds()).toEqual(["ends soon"]);
    await goTo(at(1));
    expect(await ada.notices()).toEqual([
      { zone, kind: "ended" },
      { zone, kind: "ends soon" },
    ]);

    await goTo(at(2, 12) - 1);
    expect(await bob.notices()).toEqual([]);
    await goTo(at(2, 12));
    expect(await bob.notices()).toEqual([{ zone: other, kind: "ends soon" }]);
    await goTo(at(3) - 1);
    expect(await bob.kinds()).toEqual(["ends soon"]);
    await goTo(at(3));
    expect(await bob.kinds()).toEqual(["ended", "ends soon"]);
    await goTo(at(5));
    expect(await ada.kinds()).toEqual(["ended", "ends soon"]);
    expect(await bob.kinds()).toEqual(["ended", "ends soon"]);
  });

  test("of the end come only if that noon is still to come", async () => {
    const zone = await open(9);
    await goTo(at(0, 12) - 1);
    await ada.buy(zone, "A1", 1);
    await goTo(at(0, 12));
    expect(await ada.kinds()).toEqual(["ends soon"]);
    await bob.buy(zone, "B1", 1);
    await goTo(at(0, 13));
    await carl.buy(zone, "C1", 1);
    await dora.buy(zone, "D1", 2);
    await goTo(at(1) - 1);
    expect(await bob.kinds()).toEqual([]);
    expect(await carl.kinds()).toEqual([]);
    await goTo(at(1));
    expect(await bob.kinds()).toEqual(["ended"]);
    expect(await carl.kinds()).toEqual(["ended"]);
    await goTo(at(1, 12));
    expect(await dora.kinds()).toEqual(["ends soon"]);
    await goTo(at(3));
    expect(await bob.kinds()).toEqual(["ended"]);
    expect(await carl.kinds()).toEqual(["ended"]);
    expect(await dora.kinds()).toEqual(["ended", "ends soon"]);
  });

  test("come for the new end alone of a permit that is extended", async () => {
    const zone = await open(9);
    const permit = await ada.buy(zone, "A1", 2);
    await goTo(at(1, 11));
    await ada.extend(permit, 1);
    await ada.extend(permit, 1);
    await goTo(at(3, 12) - 1);
    expect(await ada.kinds()).toEqual([]);
    await goTo(at(3, 12));
    expect(await ada.kinds()).toEqual(["ends soon"]);
    await goTo(at(4) - 1);
    expect(await ada.kinds()).toEqual(["ends soon"]);
    await goTo(at(4));
    expect(await ada.kinds()).toEqual(["ended", "ends soon"]);
    await goTo(at(6));
    expect(await ada.kinds()).toEqual(["ended", "ends soon"]);
  });

  test("come again for the new end after the former noon", async () => {
    const zone = await open(9);
    const permit = await ada.buy(zone, "A1", 1);
    await goTo(at(0, 13));
    expect(await ada.kinds()).toEqual(["ends soon"]);
    await ada.extend(permit, 1);
    const late = await bob.buy(zone, "B1", 1);
    await bob.extend(late, 1);
    await goTo(at(1, 12) - 1);
    expect(await ada.kinds()).toEqual(["ends soon"]);
    expect(await bob.kinds()).toEqual([]);
    await goTo(at(1, 12));
    expect(await ada.kinds()).toEqual(["ends soon", "ends soon"]);
    expect(await bob.kinds()).toEqual(["ends soon"]);
    await goTo(at(2));
    expect(await ada.kinds()).toEqual(["ended", "ends soon", "ends soon"]);
    expect(await bob.kinds()).toEqual(["ended", "ends soon"]);
  });

  test("do not come for cancelled permits", async () => {
    const zone = await open(9);
    const other = await open(9);
    const early = await ada.buy(zone, "A1", 2);
    const late = await bob.buy(zone, "B1", 1);
    const extended = await carl.buy(zone, "C1", 1);
    await ada.buy(other, "A2", 2);
    await carl.extend(extended, 1);
    await goTo(at(0, 11));
    await ada.cancel(early);
    await carl.cancel(extended);
    await goTo(at(0, 13));
    await bob.cancel(late);
    await goTo(at(4));
    expect(await ada.notices()).toEqual([
      { zone: other, kind: "ended" },
      { zone: other, kind: "ends soon" },
    ]);
    expect(await bob.kinds()).toEqual(["ends soon"]);
    expect(await carl.kinds()).toEqual([]);
  });

  test("come once for a permit that is bought again", async () => {
    const zone = await open(9);
    const permit = await ada.buy(zone, "A1", 2);
    await ada.cancel(permit);
    await pass(MINUTE);
    const again = await ada.buy(zone, "A1", 2);
    await ada.move(again, "A2");
    await goTo(at(1, 12));
    expect(await ada.kinds()).toEqual(["ends soon"]);
    await goTo(at(3));
    expect(await ada.kinds()).toEqual(["ended", "ends soon"]);
  });

  test("come for each permit, the newest first", async () => {
    const zone = await open(1);
    const other = await open(9);
    const permit = await ada.buy(zone, "A1", 9);
    await bob.join(zone);
    await pass(MINUTE);
    await ada.cancel(permit);
    await pass(MINUTE);
    await bob.buy(zone, "B1", 1);
    await bob.buy(other, "B1", 2);
    await goTo(at(2));
    expect(await bob.notices()).toEqual([
      { zone: other, kind: "ended" },
      { zone: other, kind: "ends soon" },
      { zone, kind: "ended" },
      { zone, kind: "ends soon" },
      { zone, kind: "offer" },
    ]);
  });
});
