// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/// <reference types="vite/client" />
import { convexTest } from "convex-test";
import { ConvexError } from "convex/values";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { api } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import schema from "./schema";

const modules = import.meta.glob("./**/*.*s");
const MINUTE = 60 * 1000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A Monday. */
const MONDAY = Date.UTC(2027, 2, 1);
const NEVER_FULL = 9;

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(MONDAY + 10 * HOUR);
});

afterEach(() => {
  vi.useRealTimers();
});

function city() {
  const t = convexTest(schema, modules);
  const as = (subject: string, role?: string, issuer = "https://city.test") =>
    t.withIdentity({ subject, issuer, ...(role === undefined ? {} : { role }) });
  return {
    t,
    as,
    staff: as("sam", "staff"),
    warden: as("wim", "warden"),
    ada: as("ada"),
    bo: as("bo"),
    cy: as("cy"),
    di: as("di"),
  };
}

type City = ReturnType<typeof city>;
type Person = City["ada"];

async function openZone({ staff }: City, places = NEVER_FULL, fee = 1000) {
  return await staff.mutation(api.zones.open, { name: "North", places, fee });
}

async function buy(person: Person, zone: Id<"zones">, plate: string, days = 1) {
  return await person.mutation(api.permits.buy, { zone, plate, days });
}

async function refusal(call: Promise<unknown>) {
  const error: unknown = await call.then(
    () => expect.fail("the call was not refused"),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConvexError);
  return (error as ConvexError<string>).data;
}

/** Goes to a moment, hour by hour, so that what is due on the way runs in its time. */
async function goTo({ t }: City, moment: number) {
  while (Date.now() < moment) {
    const hour = HOUR - (Date.now() % HOUR);
    vi.advanceTimersByTime(Math.min(hour, moment - Date.now()));
    await t.finishInProgressScheduledFunctions();
  }
}

async function kinds(person: Person) {
  return (await person.query(api.notices.mine, {})).map(({ kind }) => kind);
}

async function offers(person: Person) {
  return (await person.query(api.line.mine, {})).map(({ offerEnds }) => offerEnds);
}

async function freePlaces(person: Person) {
  return (await person.query(api.zones.list, {})).map(({ free }) => free);
}

async function paid(person: Person) {
  return (await person.query(api.permits.mine, {})).map((permit) => permit.paid);
}

describe("people", () => {
  test("whoever is not signed in is refused everything", async () => {
    const all = city();
    const zone = await openZone(all);
    const permit = await buy(all.ada, zone, "A 1");
    const { t } = all;
    const calls = [
      () => t.mutation(api.zones.open, { name: "x", places: 1, fee: 1 }),
      () => t.mutation(api.zones.change, { zone, places: 1, fee: 1 }),
      () => t.query(api.zones.list, {}),
      () => t.mutation(api.permits.buy, { zone, plate: "B 1", days: 1 }),
      () => t.mutation(api.permits.extend, { permit, days: 1 }),
      () => t.mutation(api.permits.cancel, { permit }),
      () => t.mutation(api.permits.move, { permit, plate: "B 1" }),
      () => t.query(api.permits.mine, {}),
      () => t.query(api.permits.check, { zone, plate: "A 1" }),
      () => t.mutation(api.line.join, { zone }),
      () => t.mutation(api.line.leave, { zone }),
      () => t.query(api.line.mine, {}),
      () => t.query(api.notices.mine, {}),
      () => t.query(api.reports.takings, { day: "2027-03-01" }),
    ];
    for (const call of calls) expect(await refusal(call())).toBe("not signed in");
  });

  test("only staff and wardens do what is theirs", async () => {
    const all = city();
    const zone = await openZone(all);
    for (const person of [all.ada, all.warden, all.as("eve", "boss")]) {
      const calls = [
        () => person.mutation(api.zones.open, { name: "x", places: 1, fee: 1 }),
        () => person.mutation(api.zones.change, { zone, places: 1, fee: 1 }),
        () => person.query(api.reports.takings, { day: "2027-03-01" }),
      ];
      for (const call of calls) expect(await refusal(call())).toBe("not allowed");
    }
    for (const person of [all.ada, all.as("eve", "boss")])
      expect(await refusal(person.query(api.permits.check, { zone, plate: "A" }))).toBe(
        "not allowed",
      );
    for (const person of [all.staff, all.warden])
      expect(await person.query(api.permits.check, { zone, plate: "A" })).toBe(false);
    expect(await all.ada.query(api.zones.list, {})).toEqual([
      { id: zone, name: "North", fee: 1000, free: NEVER_FULL },
    ]);
  });

  test("nobody gets hold of somebody else's permit", async () => {
    const all = city();
    const zone = await openZone(all);
    const permit = await buy(all.ada, zone, "A 1", 2);
    const before = await all.ada.query(api.permits.mine, {});
    const others = [all.bo, all.staff, all.warden, all.as("ada", undefined, "https://x.test")];
    for (const other of others) {
      expect(await refusal(other.mutation(api.permits.extend, { permit, days: 1 }))).toBe(
        "not found",
      );
      expect(await refusal(other.mutation(api.permits.move, { permit, plate: "B" }))).toBe(
        "not found",
      );
      expect(await refusal(other.mutation(api.permits.cancel, { permit }))).toBe("not found");
      expect(await other.query(api.permits.mine, {})).toEqual([]);
      expect(await other.query(api.notices.mine, {})).toEqual([]);
    }
    expect(await all.ada.query(api.permits.mine, {})).toEqual(before);
  });

  test("lines and notices are their person's", async () => {
    const all = city();
    const zone = await openZone(all, 1);
    const permit = await buy(all.ada, zone, "A 1");
    await all.bo.mutation(api.line.join, { zone });
    await all.ada.mutation(api.permits.cancel, { permit });
    for (const other of [all.ada, all.staff, all.as("bo", undefined, "https://x.test")]) {
      expect(await offers(other)).toEqual([]);
      expect(await kinds(other)).toEqual([]);
      expect(await refusal(other.mutation(api.line.leave, { zone }))).toBe("not in line");
    }
    expect(await offers(all.bo)).toEqual([MONDAY + 34 * HOUR]);
  });
});

describe("permits", () => {
  test("a permit is valid up to the midnight that ends its last day", async () => {
    const all = city();
    const zone = await openZone(all);
    const permit = await buy(all.ada, zone, "a-b 12", 2);
    const ends = MONDAY + 2 * DAY;
    expect(await all.ada.query(api.permits.mine, {})).toEqual([
      { id: permit, zone, plate: "AB12", ends, paid: 2000 },
    ]);
    await goTo(all, ends - 1);
    expect(await all.warden.query(api.permits.check, { zone, plate: "AB 12" })).toBe(true);
    expect(await freePlaces(all.ada)).toEqual([NEVER_FULL - 1]);
    await goTo(all, ends);
    expect(await all.warden.query(api.permits.check, { zone, plate: "AB 12" })).toBe(false);
    expect(await freePlaces(all.ada)).toEqual([NEVER_FULL]);
    expect(await all.ada.query(api.permits.mine, {})).toEqual([]);
    const late = [
      () => all.ada.mutation(api.permits.extend, { permit, days: 1 }),
      () => all.ada.mutation(api.permits.cancel, { permit }),
      () => all.ada.mutation(api.permits.move, { permit, plate: "C" }),
    ];
    for (const call of late) expect(await refusal(call())).toBe("not found");
  });

  test("days are whole, and at most 21 lie ahead", async () => {
    const all = city();
    const zone = await openZone(all);
    for (const days of [0, -1, 1.5])
      expect(await refusal(buy(all.ada, zone, "A", days))).toBe("bad days");
    expect(await refusal(buy(all.ada, zone, "A", 22))).toBe("too long");
    const permit = await buy(all.ada, zone, "A", 20);
    const extend = (days: number) => all.ada.mutation(api.permits.extend, { permit, days });
    for (const days of [0, -1, 0.5]) expect(await refusal(extend(days))).toBe("bad days");
    expect(await refusal(extend(2))).toBe("too long");
    await extend(1);
    await goTo(all, MONDAY + DAY - 1);
    expect(await refusal(extend(1))).toBe("too long");
    await goTo(all, MONDAY + DAY);
    await extend(1);
    const [{ ends }] = await all.ada.query(api.permits.mine, {});
    expect(ends).toBe(MONDAY + 22 * DAY);
    await buy(all.bo, zone, "B", 21);
  });

  test("a plate has one valid permit in a zone", async () => {
    const all = city();
    const zone = await openZone(all);
    const other = await openZone(all);
    const permit = await buy(all.ada, zone, "ab 12");
    expect(await refusal(buy(all.ada, zone, "A-B12"))).toBe("plate has permit");
    expect(await refusal(buy(all.bo, zone, "aB1 2"))).toBe("plate has permit");
    await buy(all.bo, other, "ab 12");
    const second = await buy(all.bo, zone, "C 3");
    const move = (plate: string) =>
      all.bo.mutation(api.permits.move, { permit: second, plate });
    expect(await refusal(move("a b-12"))).toBe("plate has permit");
    await move("c-3");
    await move("d-4");
    const check = (plate: string) => all.warden.query(api.permits.check, { zone, plate });
    expect(await check("D4")).toBe(true);
    expect(await check("d 4")).toBe(true);
    expect(await check("C3")).toBe(false);
    await buy(all.cy, zone, "c3");
    await all.ada.mutation(api.permits.cancel, { permit });
    await buy(all.di, zone, "AB12");
  });

  test("a plate is free again when its permit has ended", async () => {
    const all = city();
    const zone = await openZone(all);
    await buy(all.ada, zone, "A");
    await goTo(all, MONDAY + DAY);
    await buy(all.bo, zone, "A");
  });

  test("nobody has more than two valid permits", async () => {
    const all = city();
    const zone = await openZone(all);
    const other = await openZone(all);
    await buy(all.ada, zone, "A");
    const permit = await buy(all.ada, other, "B", 3);
    expect(await refusal(buy(all.ada, zone, "C"))).toBe("two permits");
    expect(await refusal(buy(all.ada, other, "C"))).toBe("two permits");
    await buy(all.bo, zone, "D");
    await all.ada.mutation(api.permits.cancel, { permit });
    await buy(all.ada, zone, "C", 3);
    expect(await refusal(buy(all.ada, zone, "E"))).toBe("two permits");
    await goTo(all, MONDAY + DAY);
    await buy(all.ada, zone, "E");
    expect(await refusal(buy(all.ada, zone, "F"))).toBe("two permits");
  });
});

describe("money", () => {
  test.each([
    [1, 1005],
    [5, 5025],
    [6, 5527],
    [7, 5427],
    [8, 6331],
    [14, 10854],
  ])("%d days from a Monday", async (days, price) => {
    const all = city();
    const zone = await openZone(all, NEVER_FULL, 1005);
    await buy(all.ada, zone, "A", days);
    expect(await paid(all.ada)).toEqual([price]);
  });

  test("the halves of two days are added before the fraction is dropped", async () => {
    const all = city();
    await goTo(all, MONDAY + 5 * DAY + HOUR);
    const zone = await openZone(all, NEVER_FULL, 1005);
    await buy(all.ada, zone, "A", 1);
    await buy(all.bo, zone, "B", 2);
    expect(await paid(all.ada)).toEqual([502]);
    expect(await paid(all.bo)).toEqual([1005]);
  });

  test("an extension is priced by its own days, number and fee", async () => {
    const all = city();
    const zone = await openZone(all);
    const permit = await buy(all.ada, zone, "A", 4);
    expect(await paid(all.ada)).toEqual([4000]);
    const extend = (days: number) => all.ada.mutation(api.permits.extend, { permit, days });
    await extend(3);
    expect(await paid(all.ada)).toEqual([6000]);
    await all.staff.mutation(api.zones.change, { zone, places: NEVER_FULL, fee: 200 });
    expect(await paid(all.ada)).toEqual([6000]);
    await extend(1);
    expect(await paid(all.ada)).toEqual([6200]);
    await extend(7);
    expect(await paid(all.ada)).toEqual([7280]);
  });

  test("within an hour of the purchase everything is paid back", async () => {
    const all = city();
    await goTo(all, MONDAY + DAY - 30 * MINUTE);
    const zone = await openZone(all);
    const permit = await buy(all.ada, zone, "A", 3);
    await goTo(all, MONDAY + DAY + 20 * MINUTE);
    await all.ada.mutation(api.permits.extend, { permit, days: 1 });
    await goTo(all, MONDAY + DAY + 30 * MINUTE - 1);
    expect(await all.ada.mutation(api.permits.cancel, { permit })).toBe(4000);
    expect(await all.ada.query(api.permits.mine, {})).toEqual([]);
    expect(await refusal(all.ada.mutation(api.permits.cancel, { permit }))).toBe("not found");
  });

  test("an hour after the purchase the days ahead are paid back", async () => {
    const all = city();
    const zone = await openZone(all);
    const permit = await buy(all.ada, zone, "A", 3);
    await goTo(all, MONDAY + 10 * HOUR + 30 * MINUTE);
    await all.ada.mutation(api.permits.extend, { permit, days: 4 });
    expect(await paid(all.ada)).toEqual([6000]);
    await goTo(all, MONDAY + 11 * HOUR);
    expect(await all.ada.mutation(api.permits.cancel, { permit })).toBe(5142);
  });

  test("a day begins at its midnight", async () => {
    const all = city();
    const zone = await openZone(all);
    const first = await buy(all.ada, zone, "A", 3);
    const second = await buy(all.ada, zone, "B", 3);
    await goTo(all, MONDAY + DAY - 1);
    expect(await all.ada.mutation(api.permits.cancel, { permit: first })).toBe(2000);
    await goTo(all, MONDAY + DAY);
    expect(await all.ada.mutation(api.permits.cancel, { permit: second })).toBe(1000);
    const last = await buy(all.bo, zone, "C", 1);
    await goTo(all, MONDAY + DAY + 2 * HOUR);
    expect(await all.bo.mutation(api.permits.cancel, { permit: last })).toBe(0);
  });

  test("takings are those of the day on which something is paid", async () => {
    const all = city();
    const zone = await openZone(all);
    const permit = await buy(all.ada, zone, "A", 3);
    await goTo(all, MONDAY + DAY - 1);
    await buy(all.bo, zone, "B", 1);
    await goTo(all, MONDAY + DAY);
    await all.ada.mutation(api.permits.extend, { permit, days: 1 });
    await goTo(all, MONDAY + 2 * DAY);
    expect(await all.ada.mutation(api.permits.cancel, { permit })).toBe(1000);
    const takings = (day: string) => all.staff.query(api.reports.takings, { day });
    expect(await takings("2027-03-01")).toBe(4000);
    expect(await takings("2027-03-02")).toBe(1000);
    expect(await takings("2027-03-03")).toBe(-1000);
    expect(await takings("2027-03-04")).toBe(0);
  });
});

describe("places", () => {
  test("a full zone has a line", async () => {
    const all = city();
    const zone = await openZone(all, 1);
    expect(await refusal(all.bo.mutation(api.line.join, { zone }))).toBe("places free");
    const permit = await buy(all.ada, zone, "A");
    expect(await refusal(buy(all.bo, zone, "B"))).toBe("zone full");
    expect(await refusal(all.bo.mutation(api.line.leave, { zone }))).toBe("not in line");
    await all.bo.mutation(api.line.join, { zone });
    expect(await refusal(all.bo.mutation(api.line.join, { zone }))).toBe("in line already");
    expect(await refusal(buy(all.bo, zone, "B"))).toBe("zone full");
    await all.cy.mutation(api.line.join, { zone });
    await all.ada.mutation(api.permits.cancel, { permit });
    expect(await all.bo.query(api.line.mine, {})).toEqual([
      { zone, offerEnds: MONDAY + 34 * HOUR },
    ]);
    expect(await offers(all.cy)).toEqual([null]);
    expect(await freePlaces(all.ada)).toEqual([0]);
    expect(await kinds(all.bo)).toEqual(["offer"]);
    expect(await kinds(all.cy)).toEqual([]);
    for (const person of [all.cy, all.di, all.ada])
      expect(await refusal(buy(person, zone, "B"))).toBe("zone full");
    await all.di.mutation(api.line.join, { zone });
    expect(await refusal(all.bo.mutation(api.line.join, { zone }))).toBe("in line already");
    await buy(all.bo, zone, "B");
    expect(await offers(all.bo)).toEqual([]);
    expect(await offers(all.cy)).toEqual([null]);
    expect(await refusal(buy(all.cy, zone, "C"))).toBe("zone full");
    await goTo(all, MONDAY + DAY);
    expect(await offers(all.cy)).toEqual([MONDAY + 2 * DAY]);
    expect(await offers(all.di)).toEqual([null]);
  });

  test("offers lapse after 24 hours, one after the other", async () => {
    const all = city();
    const zone = await openZone(all, 1);
    await buy(all.ada, zone, "A");
    await all.bo.mutation(api.line.join, { zone });
    await all.cy.mutation(api.line.join, { zone });
    await all.di.mutation(api.line.join, { zone });
    await goTo(all, MONDAY + 2 * DAY - 1);
    expect(await offers(all.bo)).toEqual([MONDAY + 2 * DAY]);
    await goTo(all, MONDAY + 2 * DAY);
    expect(await offers(all.bo)).toEqual([]);
    expect(await refusal(buy(all.bo, zone, "B"))).toBe("zone full");
    expect(await offers(all.cy)).toEqual([MONDAY + 3 * DAY]);
    expect(await kinds(all.cy)).toEqual(["offer"]);
    await goTo(all, MONDAY + 3 * DAY);
    expect(await offers(all.di)).toEqual([MONDAY + 4 * DAY]);
    await goTo(all, MONDAY + 4 * DAY);
    expect(await freePlaces(all.ada)).toEqual([1]);
    await buy(all.bo, zone, "B");
  });

  test("an offer is used until it lapses", async () => {
    const all = city();
    const zone = await openZone(all, 1);
    await buy(all.ada, zone, "A");
    await all.bo.mutation(api.line.join, { zone });
    await goTo(all, MONDAY + 2 * DAY - 1);
    await buy(all.bo, zone, "B", 3);
    await goTo(all, MONDAY + 3 * DAY);
    expect(await freePlaces(all.bo)).toEqual([0]);
  });

  test("an offer that is given up is passed on", async () => {
    const all = city();
    const zone = await openZone(all, 1);
    const permit = await buy(all.ada, zone, "A");
    await all.bo.mutation(api.line.join, { zone });
    await all.cy.mutation(api.line.join, { zone });
    await all.di.mutation(api.line.join, { zone });
    await all.cy.mutation(api.line.leave, { zone });
    await all.ada.mutation(api.permits.cancel, { permit });
    await all.bo.mutation(api.line.leave, { zone });
    expect(await offers(all.bo)).toEqual([]);
    expect(await offers(all.cy)).toEqual([]);
    expect(await offers(all.di)).toEqual([MONDAY + 34 * HOUR]);
    expect(await kinds(all.di)).toEqual(["offer"]);
  });

  test("more places are offered to several people", async () => {
    const all = city();
    const zone = await openZone(all, 1);
    await buy(all.ada, zone, "A");
    for (const person of [all.bo, all.cy, all.di])
      await person.mutation(api.line.join, { zone });
    await all.staff.mutation(api.zones.change, { zone, places: 3, fee: 1000 });
    const until = MONDAY + 34 * HOUR;
    expect([await offers(all.bo), await offers(all.cy)]).toEqual([[until], [until]]);
    expect(await offers(all.di)).toEqual([null]);
  });

  test("with fewer places nothing is free for a while", async () => {
    const all = city();
    const zone = await openZone(all, 3);
    const a = await buy(all.ada, zone, "A", 3);
    const b = await buy(all.bo, zone, "B", 3);
    const c = await buy(all.bo, zone, "C", 3);
    await all.cy.mutation(api.line.join, { zone });
    await all.staff.mutation(api.zones.change, { zone, places: 1, fee: 1000 });
    expect(await all.bo.query(api.permits.mine, {})).toHaveLength(2);
    for (const [person, permit] of [
      [all.ada, a],
      [all.bo, b],
    ] as const) {
      await person.mutation(api.permits.cancel, { permit });
      expect(await offers(all.cy)).toEqual([null]);
      expect(await freePlaces(all.ada)).toEqual([0]);
    }
    await all.bo.mutation(api.permits.cancel, { permit: c });
    expect(await offers(all.cy)).toEqual([MONDAY + 34 * HOUR]);
  });

  test("an extended permit keeps its place", async () => {
    const all = city();
    const zone = await openZone(all, 1);
    const permit = await buy(all.ada, zone, "A");
    await all.bo.mutation(api.line.join, { zone });
    await all.ada.mutation(api.permits.extend, { permit, days: 1 });
    await goTo(all, MONDAY + DAY + HOUR);
    expect(await offers(all.bo)).toEqual([null]);
    expect(await all.warden.query(api.permits.check, { zone, plate: "A" })).toBe(true);
    await goTo(all, MONDAY + 2 * DAY);
    expect(await offers(all.bo)).toEqual([MONDAY + 3 * DAY]);
  });

  test("a cancelled permit frees its place once", async () => {
    const all = city();
    const zone = await openZone(all, 1);
    const permit = await buy(all.ada, zone, "A");
    await all.bo.mutation(api.line.join, { zone });
    await all.cy.mutation(api.line.join, { zone });
    await all.ada.mutation(api.permits.cancel, { permit });
    await buy(all.bo, zone, "B", 3);
    await goTo(all, MONDAY + DAY + HOUR);
    expect(await offers(all.cy)).toEqual([null]);
  });
});

describe("notices", () => {
  test("a permit that ends is announced at noon", async () => {
    const all = city();
    const zone = await openZone(all);
    await buy(all.ada, zone, "A", 2);
    await goTo(all, MONDAY + 36 * HOUR - 1);
    expect(await kinds(all.ada)).toEqual([]);
    await goTo(all, MONDAY + 36 * HOUR);
    expect(await all.ada.query(api.notices.mine, {})).toEqual([{ zone, kind: "ends soon" }]);
    await goTo(all, MONDAY + 48 * HOUR - 1);
    expect(await kinds(all.ada)).toEqual(["ends soon"]);
    await goTo(all, MONDAY + 48 * HOUR);
    expect(await kinds(all.ada)).toEqual(["ended", "ends soon"]);
  });

  test("a permit that is bought in the afternoon ends without a warning", async () => {
    const all = city();
    await goTo(all, MONDAY + 13 * HOUR);
    const zone = await openZone(all);
    await buy(all.ada, zone, "A");
    await goTo(all, MONDAY + 2 * DAY);
    expect(await kinds(all.ada)).toEqual(["ended"]);
  });

  test("an extended permit is announced for its new end", async () => {
    const all = city();
    const zone = await openZone(all);
    const permit = await buy(all.ada, zone, "A");
    await all.ada.mutation(api.permits.extend, { permit, days: 1 });
    await goTo(all, MONDAY + 35 * HOUR);
    expect(await kinds(all.ada)).toEqual([]);
    await goTo(all, MONDAY + 37 * HOUR);
    expect(await kinds(all.ada)).toEqual(["ends soon"]);
    await all.ada.mutation(api.permits.extend, { permit, days: 1 });
    await goTo(all, MONDAY + 59 * HOUR);
    expect(await kinds(all.ada)).toEqual(["ends soon"]);
    await goTo(all, MONDAY + 80 * HOUR);
    expect(await kinds(all.ada)).toEqual(["ended", "ends soon", "ends soon"]);
  });

  test("a cancelled permit gives no notice", async () => {
    const all = city();
    const zone = await openZone(all);
    const permit = await buy(all.ada, zone, "A");
    await all.ada.mutation(api.permits.cancel, { permit });
    await goTo(all, MONDAY + 2 * DAY);
    expect(await kinds(all.ada)).toEqual([]);
  });
});
