// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/// <reference types="vite/client" />
import { convexTest } from "convex-test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { api } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import schema from "./schema";

const modules = import.meta.glob("./**/*.*s");

const MINUTE = 60 * 1000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONDAY = Date.UTC(2027, 2, 1);
/** Time goes on in steps that end at each third hour, so that what happens then happens in time. */
const STEP = 3 * HOUR;
const ISSUER = "https://people.example";

/** A moment; the days are counted from a Monday, which is 0. */
function at(day: number, hour: number, minute = 0) {
  return MONDAY + day * DAY + hour * HOUR + minute * MINUTE;
}

function dateOf(day: number) {
  return new Date(at(day, 0)).toISOString().slice(0, 10);
}

function begin() {
  const t = convexTest(schema, modules);

  async function finish() {
    for (let round = 0; round < 3; round++) {
      vi.advanceTimersByTime(0);
      await t.finishInProgressScheduledFunctions();
    }
  }

  async function goTo(moment: number) {
    while (Date.now() < moment) {
      const stop = Math.min(moment, (Math.floor(Date.now() / STEP) + 1) * STEP);
      vi.advanceTimersByTime(stop - Date.now());
      await finish();
    }
  }

  async function done<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } finally {
      await finish();
    }
  }

  function person(subject: string, claims: { issuer?: string; role?: string } = {}) {
    const caller = t.withIdentity({ issuer: ISSUER, subject, ...claims });
    return {
      open: (name: string, places: number, fee: number) =>
        done(caller.mutation(api.zones.open, { name, places, fee })),
      change: (zone: Id<"zones">, places: number, fee: number) =>
        done(caller.mutation(api.zones.change, { zone, places, fee })),
      zones: () => caller.query(api.zones.list, {}),
      buy: (zone: Id<"zones">, plate: string, days: number) =>
        done(caller.mutation(api.permits.buy, { zone, plate, days })),
      extend: (permit: Id<"permits">, days: number) =>
        done(caller.mutation(api.permits.extend, { permit, days })),
      // Adding 0 makes 0 of -0.
      cancel: async (permit: Id<"permits">) =>
        (await done(caller.mutation(api.permits.cancel, { permit }))) + 0,
      move: (permit: Id<"permits">, plate: string) =>
        done(caller.mutation(api.permits.move, { permit, plate })),
      permits: () => caller.query(api.permits.mine, {}),
      check: (zone: Id<"zones">, plate: string) =>
        caller.query(api.permits.check, { zone, plate }),
      join: (zone: Id<"zones">) => done(caller.mutation(api.line.join, { zone })),
      leave: (zone: Id<"zones">) => done(caller.mutation(api.line.leave, { zone })),
      lines: () => caller.query(api.line.mine, {}),
      notices: () => caller.query(api.notices.mine, {}),
      takings: async (day: number) =>
        (await caller.query(api.reports.takings, { day: dateOf(day) })) + 0,
    };
  }

  const staff = person("sam", { role: "staff" });
  const warden = person("wendy", { role: "warden" });

  async function free(zone: Id<"zones">) {
    return (await staff.zones()).find(({ id }) => id === zone)?.free;
  }

  return { t, goTo, person, staff, warden, free };
}

type Person = ReturnType<ReturnType<typeof begin>["person"]>;

async function permitOf(person: Person, permit: Id<"permits">) {
  return (await person.permits()).find(({ id }) => id === permit);
}

async function paidBy(person: Person, permit: Id<"permits">) {
  return (await permitOf(person, permit))?.paid;
}

async function endOf(person: Person, permit: Id<"permits">) {
  return (await permitOf(person, permit))?.ends;
}

/** The end of a person's offer, null while there is none. */
async function offerOf(person: Person, zone: Id<"zones">) {
  const place = (await person.lines()).find((line) => line.zone === zone);
  return place === undefined ? "out of line" : place.offerEnds;
}

async function kindsOf(person: Person) {
  return (await person.notices()).map(({ kind }) => kind);
}

function dataOf(error: unknown): unknown {
  if (typeof error !== "object" || error === null || !("data" in error))
    return `no refusal, but ${String(error)}`;
  const { data } = error;
  if (typeof data !== "string" || !data.startsWith('"')) return data;
  const text: unknown = JSON.parse(data);
  return text;
}

async function expectRefusal(call: Promise<unknown>, text: string) {
  const outcome = await call.then(() => "not refused", dataOf);
  expect(outcome).toBe(text);
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(at(0, 9));
});

afterEach(() => {
  vi.clearAllTimers();
  vi.useRealTimers();
});

describe("people", () => {
  test("whoever is not signed in is refused everything, before all else", async () => {
    const { t, person, staff } = begin();
    const ada = person("ada");
    const full = await staff.open("Full", 1, 100);
    const spare = await staff.open("Spare", 5, 100);
    const permit = await ada.buy(full, "ADA", 2);
    const old = await ada.buy(spare, "OLD", 2);
    await ada.cancel(old);
    const before = await staff.zones();

    const calls: (() => Promise<unknown>)[] = [
      () => t.mutation(api.zones.open, { name: "New", places: 1, fee: 100 }),
      () => t.mutation(api.zones.change, { zone: full, places: 9, fee: 1 }),
      () => t.query(api.zones.list, {}),
      () => t.mutation(api.permits.buy, { zone: spare, plate: "NEW", days: 1 }),
      () => t.mutation(api.permits.buy, { zone: spare, plate: "NEW", days: 0 }),
      () => t.mutation(api.permits.buy, { zone: full, plate: "ADA", days: 99 }),
      () => t.mutation(api.permits.extend, { permit, days: 1 }),
      () => t.mutation(api.permits.extend, { permit, days: 99 }),
      () => t.mutation(api.permits.extend, { permit: old, days: 0 }),
      () => t.mutation(api.permits.cancel, { permit }),
      () => t.mutation(api.permits.cancel, { permit: old }),
      () => t.mutation(api.permits.move, { permit, plate: "NEW" }),
      () => t.mutation(api.permits.move, { permit: old, plate: "ADA" }),
      () => t.query(api.permits.mine, {}),
      () => t.query(api.permits.check, { zone: full, plate: "ADA" }),
      () => t.mutation(api.line.join, { zone: full }),
      () => t.mutation(api.line.join, { zone: spare }),
      () => t.mutation(api.line.leave, { zone: full }),
      () => t.query(api.line.mine, {}),
      () => t.query(api.notices.mine, {}),
      () => t.query(api.reports.takings, { day: dateOf(0) }),
    ];
    for (const call of calls) await expectRefusal(call(), "not signed in");

    expect(await staff.zones()).toEqual(expect.arrayContaining(before));
    expect(await staff.zones()).toHaveLength(2);
    expect(await ada.permits()).toEqual([
      { id: permit, zone: full, plate: "ADA", ends: at(2, 0), paid: 200 },
    ]);
  });

  test("only staff open and change zones and read the takings", async () => {
    const { person, staff, warden } = begin();
    const zone = await staff.open("A", 2, 100);
    const others = [
      person("ada"),
      person("eve", { role: "guest" }),
      person("fay", { role: "staffing" }),
      warden,
    ];
    for (const other of others) {
      await expectRefusal(other.open("B", 2, 100), "not allowed");
      await expectRefusal(other.change(zone, 3, 200), "not allowed");
      await expectRefusal(other.takings(0), "not allowed");
      expect(await other.zones()).toEqual([{ id: zone, name: "A", fee: 100, free: 2 }]);
    }
    await staff.change(zone, 3, 200);
    expect(await staff.zones()).toEqual([{ id: zone, name: "A", fee: 200, free: 3 }]);
    expect(await staff.takings(0)).toBe(0);
  });

  test("only staff and wardens check plates", async () => {
    const { person, staff, warden } = begin();
    const ada = person("ada");
    const zone = await staff.open("A", 2, 100);
    await ada.buy(zone, "ADA", 1);
    for (const other of [ada, person("bob"), person("eve", { role: "guest" })])
      await expectRefusal(other.check(zone, "ADA"), "not allowed");
    for (const worker of [staff, warden]) {
      expect(await worker.check(zone, "ADA")).toBe(true);
      expect(await worker.check(zone, "BOB")).toBe(false);
    }
  });

  test("permits belong to their holders, whatever others do", async () => {
    const { person, staff, warden } = begin();
    const ada = person("ada");
    const zone = await staff.open("A", 5, 100);
    const permit = await ada.buy(zone, "ADA", 2);
    for (const other of [person("bob"), staff, warden]) {
      await expectRefusal(other.extend(permit, 1), "not found");
      await expectRefusal(other.cancel(permit), "not found");
      await expectRefusal(other.move(permit, "NEW"), "not found");
      expect(await other.permits()).toEqual([]);
    }
    const shown = [{ id: permit, zone, plate: "ADA", ends: at(2, 0), paid: 200 }];
    expect(await ada.permits()).toEqual(shown);
    expect(await person("ada", { role: "warden" }).permits()).toEqual(shown);
  });

  test("lines and notices belong to one person", async () => {
    const { person, staff, goTo } = begin();
    const ada = person("ada");
    const bob = person("bob");
    const zone = await staff.open("A", 1, 100);
    const permit = await ada.buy(zone, "ADA", 2);
    await bob.join(zone);
    await goTo(at(0, 12));
    await ada.cancel(permit);
    expect(await bob.lines()).toEqual([{ zone, offerEnds: at(1, 12) }]);
    expect(await bob.notices()).toEqual([{ zone, kind: "offer" }]);
    for (const other of [ada, staff, person("carl")]) {
      expect(await other.lines()).toEqual([]);
      expect(await other.notices()).toEqual([]);
      await expectRefusal(other.leave(zone), "not in line");
    }
    expect(await offerOf(bob, zone)).toBe(at(1, 12));
  });

  test("the same subject of another issuer is somebody else", async () => {
    const { person, staff, goTo } = begin();
    const ada = person("ada");
    const twin = person("ada", { issuer: "https://others.example" });
    const holder = person("holder");
    const zone = await staff.open("A", 1, 100);
    const wide = await staff.open("Wide", 9, 100);
    const held = await holder.buy(zone, "HOLDER", 5);

    const permit = await ada.buy(wide, "ADA1", 2);
    expect(await twin.permits()).toEqual([]);
    await expectRefusal(twin.extend(permit, 1), "not found");
    await expectRefusal(twin.move(permit, "NEW"), "not found");
    await expectRefusal(twin.cancel(permit), "not found");

    await ada.join(zone);
    expect(await twin.lines()).toEqual([]);
    await expectRefusal(twin.leave(zone), "not in line");
    await goTo(at(0, 9, 10));
    await twin.join(zone);
    await goTo(at(0, 12));
    await holder.cancel(held);
    expect(await offerOf(ada, zone)).toBe(at(1, 12));
    expect(await offerOf(twin, zone)).toBe(null);
    expect(await ada.notices()).toEqual([{ zone, kind: "offer" }]);
    expect(await twin.notices()).toEqual([]);
    await expectRefusal(twin.buy(zone, "TWIN", 1), "zone full");
    await ada.buy(zone, "ADA2", 1);
    expect(await offerOf(twin, zone)).toBe(null);
    await expectRefusal(ada.buy(wide, "ADA3", 1), "two permits");
    await twin.buy(wide, "TWIN1", 1);
    await twin.buy(wide, "TWIN2", 1);
    expect(await twin.permits()).toHaveLength(2);

    await person("23", { issuer: "https://id.example/1" }).buy(wide, "ONE", 1);
    expect(await person("3", { issuer: "https://id.example/12" }).permits()).toEqual([]);
  });

  test("what does not exist is not found", async () => {
    // Ids of another database, with far more documents.
    const far = begin();
    let zone = await far.staff.open("Far", 1, 100);
    for (let n = 0; n < 60; n++) zone = await far.staff.open("Far", 1, 100);
    const permit = await far.person("ada").buy(zone, "ADA", 1);
    vi.clearAllTimers();

    const { person, staff } = begin();
    const ada = person("ada");
    await staff.open("Near", 1, 100);
    await expectRefusal(ada.buy(zone, "ADA", 1), "not found");
    await expectRefusal(ada.join(zone), "not found");
    await expectRefusal(staff.change(zone, 1, 100), "not found");
    await expectRefusal(ada.extend(permit, 1), "not found");
    await expectRefusal(ada.cancel(permit), "not found");
    await expectRefusal(ada.move(permit, "NEW"), "not found");
  });
});

describe("zones", () => {
  test("all zones are listed for everybody who is signed in", async () => {
    const { person, staff } = begin();
    const a = await staff.open("A", 2, 100);
    const b = await staff.open("B", 0, 250);
    await person("ada").buy(a, "ADA", 1);
    const zones = await person("bob").zones();
    expect(zones).toHaveLength(2);
    expect(zones).toContainEqual({ id: a, name: "A", fee: 100, free: 1 });
    expect(zones).toContainEqual({ id: b, name: "B", fee: 250, free: 0 });
  });
});

describe("permits", () => {
  test("are bought for whole days, at least one", async () => {
    const { person, staff } = begin();
    const ada = person("ada");
    const zone = await staff.open("A", 5, 100);
    for (const days of [0, -1, 0.5, 1.5])
      await expectRefusal(ada.buy(zone, "ADA", days), "bad days");
    expect(await ada.permits()).toEqual([]);
    expect(await staff.takings(0)).toBe(0);

    const permit = await ada.buy(zone, "ADA", 3);
    for (const days of [0, -1, 0.5, 1.5])
      await expectRefusal(ada.extend(permit, days), "bad days");
    expect(await ada.permits()).toEqual([
      { id: permit, zone, plate: "ADA", ends: at(3, 0), paid: 300 },
    ]);
    expect(await staff.takings(0)).toBe(300);
  });

  test("last until the midnight that ends their last day", async () => {
    const { person, staff, goTo } = begin();
    const zone = await staff.open("A", 9, 100);
    const buy = async (name: string, days: number) => {
      const holder = person(name);
      return await endOf(holder, await holder.buy(zone, name, days));
    };
    expect(await buy("a", 1)).toBe(at(1, 0));
    expect(await buy("b", 3)).toBe(at(3, 0));
    await goTo(at(1, 0) - 1);
    expect(await buy("c", 1)).toBe(at(1, 0));
    expect(await buy("d", 2)).toBe(at(2, 0));
    await goTo(at(1, 0));
    expect(await buy("e", 1)).toBe(at(2, 0));
    expect(await buy("f", 2)).toBe(at(3, 0));
  });

  test("are valid until then and not any more at it", async () => {
    const { person, staff, goTo, free } = begin();
    const ada = person("ada");
    const zone = await staff.open("A", 2, 100);
    await ada.buy(zone, "ADA", 2);
    expect(await staff.check(zone, "ADA")).toBe(true);
    await goTo(at(2, 0) - 1);
    expect(await staff.check(zone, "ADA")).toBe(true);
    expect(await ada.permits()).toHaveLength(1);
    expect(await free(zone)).toBe(1);
    await goTo(at(2, 0));
    expect(await staff.check(zone, "ADA")).toBe(false);
    expect(await ada.permits()).toEqual([]);
    expect(await free(zone)).toBe(2);
  });

  test("are not found once they are not valid any more", async () => {
    const { person, staff, goTo } = begin();
    const zone = await staff.open("A", 20, 100);
    const [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map((name) => person(name));
    if (!a || !b || !c || !d || !e) throw new Error("too few");
    const permitA = await a.buy(zone, "A", 1);
    const permitB = await b.buy(zone, "B", 1);
    const permitC = await c.buy(zone, "C", 1);
    const permitD = await d.buy(zone, "D", 1);
    const permitE = await e.buy(zone, "E", 3);
    await goTo(at(0, 15));
    expect(await e.cancel(permitE)).toBe(200);
    await expectRefusal(e.extend(permitE, 1), "not found");
    await expectRefusal(e.move(permitE, "NEW"), "not found");
    await expectRefusal(e.cancel(permitE), "not found");

    await goTo(at(1, 0) - 1);
    await a.extend(permitA, 1);
    await b.move(permitB, "BB");
    expect(await c.cancel(permitC)).toBe(0);
    await goTo(at(1, 0));
    expect(await endOf(a, permitA)).toBe(at(2, 0));
    await expectRefusal(d.extend(permitD, 1), "not found");
    await expectRefusal(d.move(permitD, "NEW"), "not found");
    await expectRefusal(d.cancel(permitD), "not found");
    await expectRefusal(e.extend(permitE, 1), "not found");
    await expectRefusal(e.move(permitE, "NEW"), "not found");
    await expectRefusal(e.cancel(permitE), "not found");
    expect(await staff.takings(1)).toBe(0);
  });

  test("are not valid any more when they are cancelled", async () => {
    const { person, staff, goTo, free } = begin();
    const ada = person("ada");
    const zone = await staff.open("A", 2, 100);
    const permit = await ada.buy(zone, "ADA", 3);
    await goTo(at(1, 9));
    await ada.cancel(permit);
    expect(await staff.check(zone, "ADA")).toBe(false);
    expect(await ada.permits()).toEqual([]);
    expect(await free(zone)).toBe(2);
  });

  test("get days after their last day by an extension", async () => {
    const { person, staff, goTo } = begin();
    const ada = person("ada");
    const zone = await staff.open("A", 1, 100);
    const permit = await ada.buy(zone, "ADA", 2);
    await ada.extend(permit, 1);
    expect(await endOf(ada, permit)).toBe(at(3, 0));
    await goTo(at(2, 15));
    await ada.extend(permit, 2);
    expect(await ada.permits()).toEqual([
      { id: permit, zone, plate: "ADA", ends: at(5, 0), paid: 450 + 50 },
    ]);
    await goTo(at(3, 0));
    expect(await staff.check(zone, "ADA")).toBe(true);
    await staff.change(zone, 2, 100);
    await expectRefusal(person("bob").buy(zone, "ADA", 1), "plate has permit");
    await goTo(at(5, 0) - 1);
    expect(await staff.check(zone, "ADA")).toBe(true);
    await goTo(at(5, 0));
    expect(await staff.check(zone, "ADA")).toBe(false);
  });

  test("have at most 21 days ahead when they are bought", async () => {
    const { person, staff, goTo } = begin();
    const zone = await staff.open("A", 9, 100);
    const [a, b, c] = ["a", "b", "c"].map((name) => person(name));
    if (!a || !b || !c) throw new Error("too few");
    await expectRefusal(a.buy(zone, "A", 22), "too long");
    expect(await endOf(a, await a.buy(zone, "A", 21))).toBe(at(21, 0));
    await goTo(at(1, 0) - 1);
    await expectRefusal(b.buy(zone, "B", 22), "too long");
    expect(await endOf(b, await b.buy(zone, "B", 21))).toBe(at(21, 0));
    await goTo(at(1, 0));
    await expectRefusal(c.buy(zone, "C", 22), "too long");
    expect(await endOf(c, await c.buy(zone, "C", 21))).toBe(at(22, 0));
  });

  test("have at most 21 days ahead when they are extended", async () => {
    const { person, staff, goTo } = begin();
    const ada = person("ada");
    const bob = person("bob");
    const zone = await staff.open("A", 9, 100);
    const whole = await ada.buy(zone, "ADA", 21);
    const part = await bob.buy(zone, "BOB", 10);
    await expectRefusal(ada.extend(whole, 1), "too long");
    await expectRefusal(bob.extend(part, 12), "too long");
    await bob.extend(part, 11);
    expect(await endOf(bob, part)).toBe(at(21, 0));
    await goTo(at(1, 0) - 1);
    await expectRefusal(ada.extend(whole, 1), "too long");
    await goTo(at(1, 0));
    await expectRefusal(ada.extend(whole, 2), "too long");
    await ada.extend(whole, 1);
    expect(await endOf(ada, whole)).toBe(at(22, 0));
    await expectRefusal(ada.extend(whole, 1), "too long");
    await goTo(at(4, 15));
    await expectRefusal(ada.extend(whole, 4), "too long");
    await ada.extend(whole, 3);
    expect(await endOf(ada, whole)).toBe(at(25, 0));
  });

  test("show and compare plates without blanks, hyphens and small letters", async () => {
    const { person, staff, warden } = begin();
    const [ada, bob, carl] = ["ada", "bob", "carl"].map((name) => person(name));
    if (!ada || !bob || !carl) throw new Error("too few");
    const zone = await staff.open("A", 9, 100);
    const other = await staff.open("B", 9, 100);
    const permit = await ada.buy(zone, " ab-c 1-2 3 ", 2);
    expect((await permitOf(ada, permit))?.plate).toBe("ABC123");
    for (const plate of ["ABC123", "abc123", "A-b-C 1 2 3", " -abc--123 "])
      expect(await warden.check(zone, plate)).toBe(true);
    expect(await warden.check(zone, "ABC124")).toBe(false);
    expect(await warden.check(other, "ABC123")).toBe(false);
    for (const plate of ["ABC123", "abc123", "a b c-1-2-3"]) {
      await expectRefusal(bob.buy(zone, plate, 1), "plate has permit");
      await expectRefusal(ada.buy(zone, plate, 1), "plate has permit");
    }
    await bob.buy(other, "abc-123", 1);

    const moved = await carl.buy(zone, "carl", 2);
    for (const plate of ["ABC123", "abc123", "a b c-1-2-3"])
      await expectRefusal(carl.move(moved, plate), "plate has permit");
    await carl.move(moved, " x-y z- ");
    expect((await permitOf(carl, moved))?.plate).toBe("XYZ");
    expect(await warden.check(zone, "xyz")).toBe(true);
    expect(await warden.check(zone, "X y-Z")).toBe(true);
    await expectRefusal(bob.buy(zone, "xy-z", 1), "plate has permit");
  });

  test("are one for a plate and zone at a time, whoever holds them", async () => {
    const { person, staff, goTo } = begin();
    const [ada, bob, carl, dora] = ["ada", "bob", "carl", "dora"].map((name) => person(name));
    if (!ada || !bob || !carl || !dora) throw new Error("too few");
    const zone = await staff.open("A", 9, 100);
    const other = await staff.open("B", 9, 100);
    await ada.buy(zone, "P", 1);
    const moving = await dora.buy(zone, "D", 9);
    await expectRefusal(ada.buy(zone, "P", 1), "plate has permit");
    await ada.buy(other, "P", 1);
    await goTo(at(1, 0) - 1);
    await expectRefusal(bob.buy(zone, "P", 1), "plate has permit");
    await expectRefusal(dora.move(moving, "P"), "plate has permit");
    await goTo(at(1, 0));
    const second = await bob.buy(zone, "P", 5);
    expect(await staff.check(zone, "P")).toBe(true);
    await expectRefusal(carl.buy(zone, "P", 1), "plate has permit");
    await expectRefusal(dora.move(moving, "P"), "plate has permit");
    await goTo(at(1, 9));
    await bob.cancel(second);
    expect(await staff.check(zone, "P")).toBe(false);
    const third = await carl.buy(zone, "P", 1);
    await expectRefusal(bob.buy(zone, "P", 1), "plate has permit");
    await carl.cancel(third);
    await dora.move(moving, "P");
    expect(await staff.check(zone, "P")).toBe(true);
    await expectRefusal(bob.buy(zone, "P", 1), "plate has permit");
    await bob.buy(zone, "D", 1);
  });

  test("can be moved to another plate and are not valid for the old one", async () => {
    const { person, staff, goTo } = begin();
    const ada = person("ada");
    const bob = person("bob");
    const zone = await staff.open("A", 2, 100);
    const other = await staff.open("B", 2, 100);
    await bob.buy(other, "NEW", 5);
    await bob.buy(zone, "GONE", 1);
    const permit = await ada.buy(zone, "OLD", 3);
    await ada.move(permit, "NEW");
    expect(await staff.check(zone, "OLD")).toBe(false);
    expect(await staff.check(zone, "NEW")).toBe(true);
    expect(await ada.permits()).toEqual([
      { id: permit, zone, plate: "NEW", ends: at(3, 0), paid: 300 },
    ]);
    await expectRefusal(ada.move(permit, "GONE"), "plate has permit");
    await goTo(at(1, 0));
    await ada.move(permit, "GONE");
    expect(await staff.check(zone, "GONE")).toBe(true);
    expect(await staff.check(zone, "NEW")).toBe(false);
    await bob.buy(zone, "NEW", 1);
    await ada.extend(permit, 1);
    await goTo(at(3, 9));
    expect(await staff.check(zone, "GONE")).toBe(true);
    await goTo(at(4, 0));
    expect(await staff.check(zone, "GONE")).toBe(false);
    expect(await kindsOf(ada)).toEqual(["ended", "ends soon"]);
  });

  test("are at most two of one person, in all zones together", async () => {
    const { person, staff, goTo } = begin();
    const ada = person("ada");
    const bob = person("bob");
    const a = await staff.open("A", 9, 100);
    const b = await staff.open("B", 9, 100);
    const c = await staff.open("C", 9, 100);
    const first = await ada.buy(a, "ONE", 1);
    const second = await ada.buy(b, "TWO", 5);
    const ids = (await ada.permits()).map(({ id }) => id);
    expect(ids.sort()).toEqual([first, second].sort());
    for (const zone of [a, b, c])
      await expectRefusal(ada.buy(zone, "THREE", 1), "two permits");
    await bob.buy(c, "BOB", 1);
    await bob.buy(c, "BOB2", 1);
    await expectRefusal(bob.buy(c, "BOB3", 1), "two permits");
    await ada.extend(second, 1);
    await ada.move(second, "TWICE");
    await goTo(at(1, 0) - 1);
    await expectRefusal(ada.buy(c, "THREE", 1), "two permits");
    await goTo(at(1, 0));
    const third = await ada.buy(c, "THREE", 1);
    await expectRefusal(ada.buy(c, "FOUR", 1), "two permits");
    await ada.cancel(third);
    await ada.buy(c, "FOUR", 1);
    await expectRefusal(ada.buy(a, "FIVE", 1), "two permits");
  });
});

describe("prices", () => {
  test("a Saturday or Sunday costs half", async () => {
    const { person, staff, goTo } = begin();
    const ada = person("ada");
    const zone = await staff.open("A", 1, 333);
    for (const [day, price] of [333, 333, 333, 333, 333, 166, 166, 333].entries()) {
      await goTo(at(day, 9));
      expect(await paidBy(ada, await ada.buy(zone, "ADA", 1))).toBe(price);
      expect(await staff.takings(day)).toBe(price);
    }
  });

  test("the hours of a weekend's days are those of UTC", async () => {
    const { person, staff, goTo } = begin();
    const zone = await staff.open("A", 9, 100);
    const price = async (name: string) => {
      const holder = person(name);
      return await paidBy(holder, await holder.buy(zone, name, 1));
    };
    await goTo(at(5, 0) - 1);
    expect(await price("a")).toBe(100);
    await goTo(at(5, 0));
    expect(await price("b")).toBe(50);
    await goTo(at(7, 0) - 1);
    expect(await price("c")).toBe(50);
    await goTo(at(7, 0));
    expect(await price("d")).toBe(100);
  });

  test("seven days cost a tenth less, and fractions are dropped once", async () => {
    const { person, staff, goTo } = begin();
    const zone = await staff.open("A", 20, 333);
    const cases: [first: number, days: number, price: number][] = [
      [0, 5, 1665],
      [0, 6, 1831],
      [0, 7, 1798],
      [0, 14, 3596],
      [0, 21, 5394],
      [4, 2, 499],
      [4, 3, 666],
      [5, 2, 333],
      [5, 8, 1948],
    ];
    for (const [first, days, price] of cases) {
      await goTo(at(first, 9));
      const name = `P${first}X${days}`;
      const holder = person(name);
      expect(await paidBy(holder, await holder.buy(zone, name, days))).toBe(price);
    }
  });

  test("an extension is priced by itself", async () => {
    const { person, staff, goTo } = begin();
    const zone = await staff.open("A", 20, 333);
    const cases: [first: number, days: number, more: number, before: number, added: number][] = [
      [0, 3, 4, 999, 999],
      [0, 7, 1, 1798, 333],
      [0, 1, 6, 333, 1665],
      [0, 1, 7, 333, 1798],
      [0, 5, 1, 1665, 166],
      [0, 5, 8, 1665, 1948],
      [4, 2, 1, 499, 166],
      [6, 1, 1, 166, 333],
    ];
    for (const [first, days, more, before, added] of cases) {
      await goTo(at(first, 9));
      const name = `P${first}X${days}X${more}`;
      const holder = person(name);
      const takings = await staff.takings(first);
      const permit = await holder.buy(zone, name, days);
      expect(await paidBy(holder, permit)).toBe(before);
      expect(await staff.takings(first)).toBe(takings + before);
      await holder.extend(permit, more);
      expect(await paidBy(holder, permit)).toBe(before + added);
      expect(await staff.takings(first)).toBe(takings + before + added);
    }
  });

  test("the fee is that of the moment", async () => {
    const { person, staff, goTo } = begin();
    const ada = person("ada");
    const bob = person("bob");
    const zone = await staff.open("A", 5, 333);
    const permit = await ada.buy(zone, "ADA", 2);
    await staff.change(zone, 5, 500);
    expect(await paidBy(ada, permit)).toBe(666);
    await ada.extend(permit, 1);
    expect(await paidBy(ada, permit)).toBe(666 + 500);
    expect(await paidBy(bob, await bob.buy(zone, "BOB", 1))).toBe(500);
    await staff.change(zone, 5, 10);
    await goTo(at(0, 12));
    // Two of three days have not begun.
    expect(await ada.cancel(permit)).toBe(777);
  });
});

describe("refunds", () => {
  test("all is paid back within an hour after the purchase", async () => {
    const { person, staff, goTo, free } = begin();
    const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => person(name));
    if (!a || !b || !c || !d) throw new Error("too few");
    const zone = await staff.open("A", 9, 333);
    const permitA = await a.buy(zone, "A", 3);
    const permitB = await b.buy(zone, "B", 3);
    const permitC = await c.buy(zone, "C", 3);
    const permitD = await d.buy(zone, "D", 3);
    await goTo(at(0, 9, 50));
    await b.extend(permitB, 1);
    await d.extend(permitD, 1);
    await goTo(at(0, 10) - 1);
    expect(await a.cancel(permitA)).toBe(999);
    expect(await b.cancel(permitB)).toBe(999 + 333);
    expect(await free(zone)).toBe(7);
    await goTo(at(0, 10));
    expect(await c.cancel(permitC)).toBe(666);
    expect(await d.cancel(permitD)).toBe(999);
    expect(await staff.takings(0)).toBe(333 + 333);
  });

  test("the hour goes on after midnight", async () => {
    const { person, staff, goTo } = begin();
    const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => person(name));
    if (!a || !b || !c || !d) throw new Error("too few");
    const zone = await staff.open("A", 9, 100);
    await goTo(at(0, 23));
    const permitC = await c.buy(zone, "C", 2);
    const permitD = await d.buy(zone, "D", 2);
    await goTo(at(0, 23, 30));
    const permitA = await a.buy(zone, "A", 3);
    const permitB = await b.buy(zone, "B", 3);
    await goTo(at(1, 0) - 1);
    expect(await c.cancel(permitC)).toBe(200);
    await goTo(at(1, 0));
    expect(await d.cancel(permitD)).toBe(0);
    await goTo(at(1, 0, 30) - 1);
    expect(await a.cancel(permitA)).toBe(300);
    await goTo(at(1, 0, 30));
    expect(await b.cancel(permitB)).toBe(100);
    expect(await staff.takings(0)).toBe(1000 - 200);
    expect(await staff.takings(1)).toBe(-400);
  });

  test("later a share is paid back, for the days that have not begun", async () => {
    const { person, staff, goTo } = begin();
    const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => person(name));
    if (!a || !b || !c || !d) throw new Error("too few");
    const zone = await staff.open("A", 9, 333);
    const permitA = await a.buy(zone, "A", 5);
    const permitB = await b.buy(zone, "B", 5);
    const permitC = await c.buy(zone, "C", 5);
    const permitD = await d.buy(zone, "D", 5);
    await goTo(at(0, 18));
    expect(await a.cancel(permitA)).toBe(1332);
    await goTo(at(2, 0) - 1);
    expect(await b.cancel(permitB)).toBe(999);
    await goTo(at(2, 0));
    expect(await c.cancel(permitC)).toBe(666);
    await goTo(at(4, 0));
    expect(await d.cancel(permitD)).toBe(0);
  });

  test("the share is one of days, and its fraction is dropped", async () => {
    const { person, staff, goTo } = begin();
    const ada = person("ada");
    const bob = person("bob");
    const zone = await staff.open("A", 9, 333);
    await goTo(at(4, 9));
    const short = await ada.buy(zone, "ADA", 3);
    await goTo(at(4, 12));
    expect(await ada.cancel(short)).toBe(444);
    await goTo(at(5, 9));
    const long = await bob.buy(zone, "BOB", 8);
    await goTo(at(5, 12));
    expect(await bob.cancel(long)).toBe(1704);
  });

  test("the share is one of everything that was paid, for all days", async () => {
    const { person, staff, goTo } = begin();
    const ada = person("ada");
    const bob = person("bob");
    const zone = await staff.open("A", 9, 101);
    const early = await ada.buy(zone, "ADA", 3);
    await ada.extend(early, 4);
    const late = await bob.buy(zone, "BOB", 2);
    await goTo(at(0, 12));
    expect(await ada.cancel(early)).toBe(519);
    await goTo(at(1, 9));
    await bob.extend(late, 3);
    await bob.move(late, "BOB2");
    // The hour is that after the purchase, not after the extension.
    await goTo(at(1, 9, 30));
    expect(await paidBy(bob, late)).toBe(505);
    await goTo(at(2, 9));
    expect(await bob.cancel(late)).toBe(202);
  });

  test("an extension begins no new hour", async () => {
    const { person, staff, goTo } = begin();
    const ada = person("ada");
    const zone = await staff.open("A", 9, 100);
    const permit = await ada.buy(zone, "ADA", 2);
    await goTo(at(1, 9));
    await ada.extend(permit, 2);
    await goTo(at(1, 9, 10));
    expect(await ada.cancel(permit)).toBe(200);
  });

  test("the takings of a day are what was paid less what was paid back on it", async () => {
    const { person, staff, goTo } = begin();
    const [a, b, c] = ["a", "b", "c"].map((name) => person(name));
    if (!a || !b || !c) throw new Error("too few");
    const zone = await staff.open("A", 9, 100);
    const other = await staff.open("B", 9, 7);
    expect(await staff.takings(0)).toBe(0);
    const permitA = await a.buy(zone, "A", 4);
    await b.buy(other, "B", 1);
    expect(await staff.takings(0)).toBe(407);
    await goTo(at(1, 0) - 1);
    const permitC = await c.buy(zone, "C", 3);
    await goTo(at(1, 0));
    expect(await staff.takings(0)).toBe(707);
    expect(await staff.takings(1)).toBe(0);
    await b.buy(other, "B", 2);
    expect(await staff.takings(0)).toBe(707);
    expect(await staff.takings(1)).toBe(14);
    await goTo(at(1, 9));
    expect(await a.cancel(permitA)).toBe(200);
    expect(await staff.takings(1)).toBe(14 - 200);
    await c.extend(permitC, 1);
    expect(await staff.takings(1)).toBe(14 - 200 + 100);
    await goTo(at(2, 0) - 1);
    expect(await c.cancel(permitC)).toBe(200);
    await goTo(at(2, 9));
    expect(await staff.takings(0)).toBe(707);
    expect(await staff.takings(1)).toBe(14 - 200 + 100 - 200);
    expect(await staff.takings(2)).toBe(0);
    expect(await staff.takings(-1)).toBe(0);
  });
});

/** People who wait in this order in a zone. */
async function queue(
  { goTo, person }: ReturnType<typeof begin>,
  zone: Id<"zones">,
): Promise<[Person, Person, Person]> {
  const people: [Person, Person, Person] = [person("a"), person("b"), person("c")];
  for (const one of people) {
    await one.join(zone);
    await goTo(Date.now() + MINUTE);
  }
  return people;
}

describe("places", () => {
  test("each valid permit takes one", async () => {
    const { person, staff, goTo, free } = begin();
    const [ada, bob, carl] = ["ada", "bob", "carl"].map((name) => person(name));
    if (!ada || !bob || !carl) throw new Error("too few");
    const zone = await staff.open("A", 2, 100);
    const other = await staff.open("B", 1, 100);
    expect(await free(zone)).toBe(2);
    const permit = await ada.buy(zone, "ADA", 1);
    expect(await free(zone)).toBe(1);
    await bob.buy(zone, "BOB", 1);
    expect(await free(zone)).toBe(0);
    expect(await free(other)).toBe(1);
    await expectRefusal(carl.buy(zone, "CARL", 1), "zone full");
    await ada.move(permit, "ADA2");
    expect(await free(zone)).toBe(0);
    await ada.cancel(permit);
    expect(await free(zone)).toBe(1);
    await carl.buy(zone, "CARL", 2);
    expect(await free(zone)).toBe(0);
    await goTo(at(1, 0) - 1);
    await expectRefusal(ada.buy(zone, "ADA", 1), "zone full");
    await goTo(at(1, 0));
    expect(await free(zone)).toBe(1);
    await ada.buy(zone, "ADA", 1);
    expect(await staff.takings(0)).toBe(100 + 100 - 100 + 200);
  });

  test("people wait where none is free, each once in a zone", async () => {
    const { person, staff, goTo } = begin();
    const ada = person("ada");
    const bob = person("bob");
    const zone = await staff.open("A", 1, 100);
    const other = await staff.open("B", 0, 100);
    const third = await staff.open("C", 1, 100);
    await expectRefusal(ada.join(zone), "places free");
    await expectRefusal(ada.leave(zone), "not in line");
    await bob.buy(zone, "BOB", 1);
    await bob.buy(third, "BOB", 1);
    await ada.join(zone);
    await expectRefusal(ada.join(zone), "in line already");
    expect(await ada.lines()).toEqual([{ zone, offerEnds: null }]);
    await ada.join(other);
    const lines = await ada.lines();
    expect(lines).toHaveLength(2);
    expect(lines).toContainEqual({ zone, offerEnds: null });
    expect(lines).toContainEqual({ zone: other, offerEnds: null });
    await ada.leave(zone);
    expect(await ada.lines()).toEqual([{ zone: other, offerEnds: null }]);
    await expectRefusal(ada.leave(zone), "not in line");
    await expectRefusal(ada.buy(other, "ADA", 1), "zone full");
    await goTo(at(1, 0) - 1);
    await ada.join(zone);
    await goTo(at(1, 0));
    await expectRefusal(ada.join(third), "places free");
    expect(await offerOf(ada, zone)).toBe(at(2, 0));
  });

  test("a cancelled permit's place is offered to who has waited longest", async () => {
    const world = begin();
    const { person, staff, goTo, free } = world;
    const holder = person("holder");
    const stranger = person("stranger");
    const zone = await staff.open("A", 1, 100);
    const permit = await holder.buy(zone, "HOLDER", 3);
    const [a, b, c] = await queue(world, zone);
    await goTo(at(0, 12));
    expect(await kindsOf(a)).toEqual([]);
    await holder.cancel(permit);
    expect(await a.lines()).toEqual([{ zone, offerEnds: at(1, 12) }]);
    expect(await b.lines()).toEqual([{ zone, offerEnds: null }]);
    expect(await c.lines()).toEqual([{ zone, offerEnds: null }]);
    expect(await a.notices()).toEqual([{ zone, kind: "offer" }]);
    expect(await b.notices()).toEqual([]);
    expect(await free(zone)).toBe(0);
    await expectRefusal(b.buy(zone, "B", 1), "zone full");
    await expectRefusal(stranger.buy(zone, "S", 1), "zone full");
    await expectRefusal(a.join(zone), "in line already");
    await stranger.join(zone);
    expect(await offerOf(stranger, zone)).toBe(null);

    await goTo(at(1, 12) - 1);
    await expectRefusal(a.buy(zone, "A", 0), "bad days");
    await expectRefusal(a.buy(zone, "A", 22), "too long");
    expect(await offerOf(a, zone)).toBe(at(1, 12));
    const bought = await a.buy(zone, "A", 1);
    expect(await paidBy(a, bought)).toBe(100);
    expect(await a.lines()).toEqual([]);
    await expectRefusal(a.leave(zone), "not in line");
    expect(await free(zone)).toBe(0);
    await goTo(at(1, 12));
    expect(await offerOf(b, zone)).toBe(null);
    expect(await staff.check(zone, "A")).toBe(true);
    await goTo(at(2, 0) - 1);
    expect(await offerOf(b, zone)).toBe(null);
    await goTo(at(2, 0));
    expect(await offerOf(b, zone)).toBe(at(3, 0));
    expect(await offerOf(c, zone)).toBe(null);
    expect(await kindsOf(b)).toEqual(["offer"]);
  });

  test("an offer lapses after 24 hours and goes to the next", async () => {
    const world = begin();
    const { person, staff, goTo, free } = world;
    const holder = person("holder");
    const zone = await staff.open("A", 1, 100);
    const permit = await holder.buy(zone, "HOLDER", 3);
    const [a, b, c] = await queue(world, zone);
    await goTo(at(0, 12));
    await holder.cancel(permit);
    await goTo(at(1, 12) - 1);
    expect(await offerOf(a, zone)).toBe(at(1, 12));
    expect(await offerOf(b, zone)).toBe(null);
    await goTo(at(1, 12));
    expect(await a.lines()).toEqual([]);
    expect(await kindsOf(a)).toEqual(["offer"]);
    expect(await offerOf(b, zone)).toBe(at(2, 12));
    expect(await kindsOf(b)).toEqual(["offer"]);
    expect(await offerOf(c, zone)).toBe(null);
    expect(await free(zone)).toBe(0);
    await expectRefusal(a.buy(zone, "A", 1), "zone full");
    await expectRefusal(a.leave(zone), "not in line");
    await a.join(zone);
    expect(await offerOf(a, zone)).toBe(null);

    await goTo(at(2, 12));
    expect(await offerOf(b, zone)).toBe("out of line");
    expect(await offerOf(c, zone)).toBe(at(3, 12));
    expect(await kindsOf(c)).toEqual(["offer"]);
    expect(await offerOf(a, zone)).toBe(null);
    await goTo(at(3, 12));
    expect(await offerOf(c, zone)).toBe("out of line");
    expect(await offerOf(a, zone)).toBe(at(4, 12));
    expect(await kindsOf(a)).toEqual(["offer", "offer"]);
    await goTo(at(4, 12) - 1);
    expect(await free(zone)).toBe(0);
    await expectRefusal(b.buy(zone, "B", 1), "zone full");
    await goTo(at(4, 12));
    expect(await free(zone)).toBe(1);
    await expectRefusal(a.leave(zone), "not in line");
    await expectRefusal(a.join(zone), "places free");
    await a.buy(zone, "A", 1);
    expect(await free(zone)).toBe(0);
  });

  test("an offer that is given up goes to the next", async () => {
    const world = begin();
    const { person, staff, goTo, free } = world;
    const holder = person("holder");
    const stranger = person("stranger");
    const zone = await staff.open("A", 1, 100);
    const permit = await holder.buy(zone, "HOLDER", 3);
    const [a, b, c] = await queue(world, zone);
    await goTo(at(0, 12));
    await b.leave(zone);
    expect(await b.lines()).toEqual([]);
    expect(await offerOf(a, zone)).toBe(null);
    await holder.cancel(permit);
    expect(await offerOf(a, zone)).toBe(at(1, 12));
    await goTo(at(0, 15));
    await a.leave(zone);
    expect(await a.lines()).toEqual([]);
    expect(await offerOf(c, zone)).toBe(at(1, 15));
    expect(await kindsOf(c)).toEqual(["offer"]);
    expect(await kindsOf(b)).toEqual([]);
    await goTo(at(0, 18));
    await c.leave(zone);
    expect(await free(zone)).toBe(1);
    await expectRefusal(c.leave(zone), "not in line");
    await stranger.buy(zone, "S", 3);
    await goTo(at(1, 18));
    expect(await free(zone)).toBe(0);
    expect(await staff.check(zone, "S")).toBe(true);
  });

  test("who leaves the line comes back at its end", async () => {
    const world = begin();
    const { person, staff, goTo } = world;
    const holder = person("holder");
    const zone = await staff.open("A", 1, 100);
    const permit = await holder.buy(zone, "HOLDER", 3);
    const [a, b, c] = await queue(world, zone);
    await a.leave(zone);
    await a.join(zone);
    await goTo(at(0, 12));
    await holder.cancel(permit);
    expect(await offerOf(b, zone)).toBe(at(1, 12));
    await b.leave(zone);
    expect(await offerOf(c, zone)).toBe(at(1, 12));
    expect(await offerOf(a, zone)).toBe(null);
    await c.leave(zone);
    expect(await offerOf(a, zone)).toBe(at(1, 12));
  });

  test("a second offer stands for 24 hours of its own", async () => {
    const world = begin();
    const { person, staff, goTo } = world;
    const holder = person("holder");
    const zone = await staff.open("A", 1, 100);
    const permit = await holder.buy(zone, "HOLDER", 3);
    const [a, b, c] = await queue(world, zone);
    await c.leave(zone);
    await goTo(at(0, 12));
    await holder.cancel(permit);
    await goTo(at(0, 15));
    await a.leave(zone);
    expect(await offerOf(b, zone)).toBe(at(1, 15));
    await a.join(zone);
    await goTo(at(0, 18));
    await b.leave(zone);
    expect(await offerOf(a, zone)).toBe(at(1, 18));
    await goTo(at(1, 12));
    expect(await offerOf(a, zone)).toBe(at(1, 18));
    await goTo(at(1, 15));
    expect(await offerOf(a, zone)).toBe(at(1, 18));
    await goTo(at(1, 18) - 1);
    expect(await offerOf(a, zone)).toBe(at(1, 18));
    await goTo(at(1, 18));
    expect(await a.lines()).toEqual([]);
    expect(await kindsOf(a)).toEqual(["offer", "offer"]);
  });

  test("several people get one if several permits end", async () => {
    const world = begin();
    const { person, staff, goTo, free } = world;
    const zone = await staff.open("A", 2, 100);
    await person("p").buy(zone, "P", 1);
    await person("q").buy(zone, "Q", 1);
    const [a, b, c] = await queue(world, zone);
    await goTo(at(1, 0) - 1);
    for (const one of [a, b, c]) expect(await offerOf(one, zone)).toBe(null);
    await goTo(at(1, 0));
    expect(await offerOf(a, zone)).toBe(at(2, 0));
    expect(await offerOf(b, zone)).toBe(at(2, 0));
    expect(await offerOf(c, zone)).toBe(null);
    expect(await a.notices()).toEqual([{ zone, kind: "offer" }]);
    expect(await b.notices()).toEqual([{ zone, kind: "offer" }]);
    expect(await c.notices()).toEqual([]);
    expect(await free(zone)).toBe(0);
  });

  test("offers of several moments stand beside each other", async () => {
    const world = begin();
    const { person, staff, goTo } = world;
    const p = person("p");
    const q = person("q");
    const zone = await staff.open("A", 2, 100);
    const permitP = await p.buy(zone, "P", 5);
    const permitQ = await q.buy(zone, "Q", 5);
    const [a, b, c] = await queue(world, zone);
    await goTo(at(0, 12));
    await p.cancel(permitP);
    expect(await offerOf(b, zone)).toBe(null);
    await goTo(at(0, 18));
    await q.cancel(permitQ);
    expect(await offerOf(a, zone)).toBe(at(1, 12));
    expect(await offerOf(b, zone)).toBe(at(1, 18));
    expect(await offerOf(c, zone)).toBe(null);
    await goTo(at(1, 12));
    expect(await offerOf(a, zone)).toBe("out of line");
    expect(await offerOf(b, zone)).toBe(at(1, 18));
    expect(await offerOf(c, zone)).toBe(at(2, 12));
    await b.buy(zone, "B", 1);
    await goTo(at(1, 18));
    expect(await offerOf(c, zone)).toBe(at(2, 12));
    expect(await staff.check(zone, "B")).toBe(true);
  });

  test("an offer lapses when a permit ends", async () => {
    const world = begin();
    const { person, staff, goTo, free } = world;
    const zone = await staff.open("A", 2, 100);
    await person("p").buy(zone, "P", 1);
    await person("q").buy(zone, "Q", 2);
    const [a, b, c] = await queue(world, zone);
    await goTo(at(1, 0));
    expect(await offerOf(a, zone)).toBe(at(2, 0));
    expect(await offerOf(b, zone)).toBe(null);
    await goTo(at(2, 0));
    expect(await offerOf(a, zone)).toBe("out of line");
    expect(await offerOf(b, zone)).toBe(at(3, 0));
    expect(await offerOf(c, zone)).toBe(at(3, 0));
    expect(await kindsOf(a)).toEqual(["offer"]);
    expect(await kindsOf(b)).toEqual(["offer"]);
    expect(await kindsOf(c)).toEqual(["offer"]);
    await goTo(at(3, 0));
    expect(await free(zone)).toBe(2);
  });

  test("more places are offered as well", async () => {
    const world = begin();
    const { person, staff, goTo, free } = world;
    const zone = await staff.open("A", 1, 100);
    await person("p").buy(zone, "P", 9);
    const [a, b, c] = await queue(world, zone);
    await goTo(at(0, 12));
    await staff.change(zone, 1, 200);
    expect(await offerOf(a, zone)).toBe(null);
    await staff.change(zone, 3, 200);
    expect(await offerOf(a, zone)).toBe(at(1, 12));
    expect(await offerOf(b, zone)).toBe(at(1, 12));
    expect(await offerOf(c, zone)).toBe(null);
    expect(await kindsOf(a)).toEqual(["offer"]);
    expect(await kindsOf(b)).toEqual(["offer"]);
    await goTo(at(0, 15));
    await staff.change(zone, 5, 200);
    expect(await offerOf(a, zone)).toBe(at(1, 12));
    expect(await offerOf(c, zone)).toBe(at(1, 15));
    expect(await free(zone)).toBe(1);
  });

  test("an offer takes one place, also where others are free", async () => {
    const { person, staff, goTo, free } = begin();
    const [p, q, a, stranger, late] = ["p", "q", "a", "s", "l"].map((name) => person(name));
    if (!p || !q || !a || !stranger || !late) throw new Error("too few");
    const zone = await staff.open("A", 2, 100);
    const permit = await p.buy(zone, "P", 5);
    await q.buy(zone, "Q", 5);
    await a.join(zone);
    await goTo(at(0, 12));
    await p.cancel(permit);
    expect(await offerOf(a, zone)).toBe(at(1, 12));
    await staff.change(zone, 4, 100);
    expect(await free(zone)).toBe(2);
    await stranger.buy(zone, "S", 5);
    expect(await free(zone)).toBe(1);
    expect(await offerOf(a, zone)).toBe(at(1, 12));
    await a.buy(zone, "A", 5);
    expect(await a.lines()).toEqual([]);
    expect(await free(zone)).toBe(1);
    await goTo(at(1, 12));
    expect(await free(zone)).toBe(1);
    await late.buy(zone, "L", 1);
    expect(await free(zone)).toBe(0);
  });

  test("permits stay if there are fewer places, and none is free for long", async () => {
    const { person, staff, goTo, free } = begin();
    const [p, q, r, a, b] = ["p", "q", "r", "a", "b"].map((name) => person(name));
    if (!p || !q || !r || !a || !b) throw new Error("too few");
    const zone = await staff.open("A", 3, 100);
    const permitP = await p.buy(zone, "P", 5);
    const permitQ = await q.buy(zone, "Q", 5);
    const permitR = await r.buy(zone, "R", 5);
    await a.join(zone);
    await staff.change(zone, 1, 100);
    for (const plate of ["P", "Q", "R"]) expect(await staff.check(zone, plate)).toBe(true);
    expect(await free(zone)).toBe(0);
    await expectRefusal(b.buy(zone, "B", 1), "zone full");
    await goTo(at(0, 10));
    await b.join(zone);
    await r.extend(permitR, 1);
    await goTo(at(0, 12));
    await p.cancel(permitP);
    expect(await offerOf(a, zone)).toBe(null);
    expect(await free(zone)).toBe(0);
    await expectRefusal(p.buy(zone, "P", 1), "zone full");
    await goTo(at(0, 15));
    await q.cancel(permitQ);
    expect(await offerOf(a, zone)).toBe(null);
    expect(await free(zone)).toBe(0);
    await goTo(at(0, 18));
    await r.cancel(permitR);
    expect(await offerOf(a, zone)).toBe(at(1, 18));
    expect(await offerOf(b, zone)).toBe(null);
    expect(await free(zone)).toBe(0);
  });

  test("more places free none while too many are taken", async () => {
    const { person, staff, goTo, free } = begin();
    const [p, q, r, a] = ["p", "q", "r", "a"].map((name) => person(name));
    if (!p || !q || !r || !a) throw new Error("too few");
    const zone = await staff.open("A", 3, 100);
    for (const [one, plate] of [[p, "P"], [q, "Q"], [r, "R"]] as const)
      await one.buy(zone, plate, 5);
    await staff.change(zone, 1, 100);
    await a.join(zone);
    await goTo(at(0, 12));
    await staff.change(zone, 2, 100);
    expect(await offerOf(a, zone)).toBe(null);
    await staff.change(zone, 3, 100);
    expect(await offerOf(a, zone)).toBe(null);
    expect(await free(zone)).toBe(0);
    await staff.change(zone, 4, 100);
    expect(await offerOf(a, zone)).toBe(at(1, 12));
  });

  test("offers stay if there are fewer places", async () => {
    const { person, staff, goTo, free } = begin();
    const [p, q, a, b] = ["p", "q", "a", "b"].map((name) => person(name));
    if (!p || !q || !a || !b) throw new Error("too few");
    const zone = await staff.open("A", 2, 100);
    const permitP = await p.buy(zone, "P", 5);
    const permitQ = await q.buy(zone, "Q", 5);
    await a.join(zone);
    await goTo(at(0, 10));
    await b.join(zone);
    await goTo(at(0, 12));
    await p.cancel(permitP);
    await staff.change(zone, 1, 100);
    expect(await offerOf(a, zone)).toBe(at(1, 12));
    expect(await free(zone)).toBe(0);
    await expectRefusal(b.buy(zone, "B", 1), "zone full");
    const bought = await a.buy(zone, "A", 5);
    await goTo(at(0, 15));
    await q.cancel(permitQ);
    expect(await offerOf(b, zone)).toBe(null);
    await goTo(at(0, 18));
    await a.cancel(bought);
    expect(await offerOf(b, zone)).toBe(at(1, 18));
  });

  test("an offer that lapses where too many are taken goes to nobody", async () => {
    const { person, staff, goTo, free } = begin();
    const [p, a, b] = ["p", "a", "b"].map((name) => person(name));
    if (!p || !a || !b) throw new Error("too few");
    const zone = await staff.open("A", 1, 100);
    const permit = await p.buy(zone, "P", 5);
    await a.join(zone);
    await goTo(at(0, 10));
    await b.join(zone);
    await goTo(at(0, 12));
    await p.cancel(permit);
    await staff.change(zone, 0, 100);
    expect(await offerOf(a, zone)).toBe(at(1, 12));
    await goTo(at(1, 12));
    expect(await offerOf(a, zone)).toBe("out of line");
    expect(await offerOf(b, zone)).toBe(null);
    expect(await free(zone)).toBe(0);
    await goTo(at(1, 15));
    await staff.change(zone, 1, 100);
    expect(await offerOf(b, zone)).toBe(at(2, 15));
  });

  test("a permit that ends where too many are taken frees none", async () => {
    const { person, staff, goTo, free } = begin();
    const [p, q, a] = ["p", "q", "a"].map((name) => person(name));
    if (!p || !q || !a) throw new Error("too few");
    const zone = await staff.open("A", 2, 100);
    await p.buy(zone, "P", 1);
    await q.buy(zone, "Q", 2);
    await a.join(zone);
    await staff.change(zone, 1, 100);
    await goTo(at(1, 0));
    expect(await offerOf(a, zone)).toBe(null);
    expect(await free(zone)).toBe(0);
    await goTo(at(2, 0));
    expect(await offerOf(a, zone)).toBe(at(3, 0));
  });

  test("an offer and a place in line are of one zone", async () => {
    const { person, staff, goTo } = begin();
    const [p, q, a] = ["p", "q", "a"].map((name) => person(name));
    if (!p || !q || !a) throw new Error("too few");
    const one = await staff.open("A", 1, 100);
    const two = await staff.open("B", 1, 100);
    const permitP = await p.buy(one, "P", 5);
    const permitQ = await q.buy(two, "Q", 5);
    await a.join(two);
    await goTo(at(0, 9, 10));
    await a.join(one);
    await goTo(at(0, 12));
    await p.cancel(permitP);
    expect(await offerOf(a, one)).toBe(at(1, 12));
    expect(await offerOf(a, two)).toBe(null);
    await expectRefusal(a.buy(two, "A", 1), "zone full");
    await a.buy(one, "A", 5);
    expect(await a.lines()).toEqual([{ zone: two, offerEnds: null }]);
    await goTo(at(0, 15));
    await q.cancel(permitQ);
    expect(await a.lines()).toEqual([{ zone: two, offerEnds: at(1, 15) }]);
    expect(await a.notices()).toEqual([
      { zone: two, kind: "offer" },
      { zone: one, kind: "offer" },
    ]);
    await a.leave(two);
    expect(await a.lines()).toEqual([]);
  });

  test("an offer does not help against the other rules", async () => {
    const { person, staff, goTo } = begin();
    const [p, q, a] = ["p", "q", "a"].map((name) => person(name));
    if (!p || !q || !a) throw new Error("too few");
    const zone = await staff.open("A", 2, 100);
    const wide = await staff.open("Wide", 9, 100);
    const permit = await p.buy(zone, "P", 5);
    await q.buy(zone, "Q", 5);
    await a.buy(wide, "A1", 5);
    const second = await a.buy(wide, "A2", 5);
    await a.join(zone);
    await goTo(at(0, 12));
    await p.cancel(permit);
    await expectRefusal(a.buy(zone, "A", 1), "two permits");
    await a.cancel(second);
    await expectRefusal(a.buy(zone, "q", 1), "plate has permit");
    expect(await offerOf(a, zone)).toBe(at(1, 12));
    await a.buy(zone, "A", 1);
    expect(await a.lines()).toEqual([]);
  });

  test("an extended permit keeps its place", async () => {
    const { person, staff, goTo, free } = begin();
    const p = person("p");
    const a = person("a");
    const zone = await staff.open("A", 1, 100);
    const permit = await p.buy(zone, "P", 1);
    await a.join(zone);
    await goTo(at(0, 15));
    await p.extend(permit, 1);
    await goTo(at(1, 0));
    expect(await offerOf(a, zone)).toBe(null);
    expect(await free(zone)).toBe(0);
    await goTo(at(2, 0) - 1);
    expect(await offerOf(a, zone)).toBe(null);
    await goTo(at(2, 0));
    expect(await offerOf(a, zone)).toBe(at(3, 0));
  });

  test("a cancelled permit frees its place once", async () => {
    const { person, staff, goTo, free } = begin();
    const [p, q, a, b] = ["p", "q", "a", "b"].map((name) => person(name));
    if (!p || !q || !a || !b) throw new Error("too few");
    const zone = await staff.open("A", 2, 100);
    const permit = await p.buy(zone, "P", 2);
    await q.buy(zone, "Q", 9);
    await a.join(zone);
    await goTo(at(0, 10));
    await b.join(zone);
    await goTo(at(0, 12));
    await p.cancel(permit);
    await a.buy(zone, "A", 9);
    await goTo(at(2, 0));
    expect(await offerOf(b, zone)).toBe(null);
    expect(await free(zone)).toBe(0);
    await goTo(at(2, 12));
    expect(await offerOf(b, zone)).toBe(null);
    expect(await kindsOf(b)).toEqual([]);
  });

  test("who bought can wait again", async () => {
    const { person, staff, goTo } = begin();
    const [p, a, b] = ["p", "a", "b"].map((name) => person(name));
    if (!p || !a || !b) throw new Error("too few");
    const zone = await staff.open("A", 1, 100);
    const permit = await p.buy(zone, "P", 9);
    await a.join(zone);
    await goTo(at(0, 12));
    await p.cancel(permit);
    const bought = await a.buy(zone, "A", 9);
    await b.join(zone);
    await goTo(at(0, 15));
    await a.cancel(bought);
    expect(await offerOf(b, zone)).toBe(at(1, 15));
    await a.join(zone);
    await goTo(at(1, 12));
    // The end of the offer that was used is of no concern.
    expect(await offerOf(a, zone)).toBe(null);
    expect(await offerOf(b, zone)).toBe(at(1, 15));
    await goTo(at(1, 15));
    expect(await offerOf(a, zone)).toBe(at(2, 15));
  });
});

describe("notices", () => {
  test("tell the noon of the last day and the end", async () => {
    const { person, staff, goTo } = begin();
    const ada = person("ada");
    const zone = await staff.open("A", 9, 100);
    await ada.buy(zone, "ADA", 3);
    expect(await kindsOf(ada)).toEqual([]);
    await goTo(at(2, 12) - 1);
    expect(await kindsOf(ada)).toEqual([]);
    await goTo(at(2, 12));
    expect(await ada.notices()).toEqual([{ zone, kind: "ends soon" }]);
    await goTo(at(3, 0) - 1);
    expect(await kindsOf(ada)).toEqual(["ends soon"]);
    await goTo(at(3, 0));
    expect(await ada.notices()).toEqual([
      { zone, kind: "ended" },
      { zone, kind: "ends soon" },
    ]);
    await goTo(at(4, 0));
    expect(await kindsOf(ada)).toEqual(["ended", "ends soon"]);
    expect(await kindsOf(person("bob"))).toEqual([]);
    expect(await kindsOf(staff)).toEqual([]);
  });

  test("tell the noon only if it is still to come at the purchase", async () => {
    const { person, staff, goTo } = begin();
    const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => person(name));
    if (!a || !b || !c || !d) throw new Error("too few");
    const zone = await staff.open("A", 9, 100);
    await goTo(at(0, 12) - 1);
    await a.buy(zone, "A", 1);
    expect(await kindsOf(a)).toEqual([]);
    await goTo(at(0, 12));
    expect(await kindsOf(a)).toEqual(["ends soon"]);
    await b.buy(zone, "B", 1);
    await goTo(at(0, 15));
    await c.buy(zone, "C", 1);
    await d.buy(zone, "D", 2);
    await goTo(at(0, 18));
    expect(await kindsOf(b)).toEqual([]);
    expect(await kindsOf(c)).toEqual([]);
    expect(await kindsOf(d)).toEqual([]);
    await goTo(at(1, 0));
    expect(await kindsOf(a)).toEqual(["ended", "ends soon"]);
    expect(await kindsOf(b)).toEqual(["ended"]);
    expect(await kindsOf(c)).toEqual(["ended"]);
    expect(await kindsOf(d)).toEqual([]);
    await goTo(at(1, 12));
    expect(await kindsOf(d)).toEqual(["ends soon"]);
  });

  test("are for the new end alone after an extension", async () => {
    const { person, staff, goTo } = begin();
    const [a, b, c] = ["a", "b", "c"].map((name) => person(name));
    if (!a || !b || !c) throw new Error("too few");
    const zone = await staff.open("A", 9, 100);
    const permitA = await a.buy(zone, "A", 1);
    const permitB = await b.buy(zone, "B", 1);
    await a.extend(permitA, 1);
    await goTo(at(0, 12));
    expect(await kindsOf(a)).toEqual([]);
    expect(await kindsOf(b)).toEqual(["ends soon"]);
    await goTo(at(0, 15));
    const permitC = await c.buy(zone, "C", 1);
    await b.extend(permitB, 1);
    await c.extend(permitC, 1);
    await goTo(at(1, 0));
    expect(await kindsOf(a)).toEqual([]);
    expect(await kindsOf(b)).toEqual(["ends soon"]);
    expect(await kindsOf(c)).toEqual([]);
    await goTo(at(1, 12) - 1);
    expect(await kindsOf(a)).toEqual([]);
    await goTo(at(1, 12));
    expect(await kindsOf(a)).toEqual(["ends soon"]);
    expect(await kindsOf(b)).toEqual(["ends soon", "ends soon"]);
    expect(await kindsOf(c)).toEqual(["ends soon"]);
    await goTo(at(2, 0) - 1);
    expect(await kindsOf(a)).toEqual(["ends soon"]);
    await goTo(at(2, 0));
    expect(await kindsOf(a)).toEqual(["ended", "ends soon"]);
    expect(await kindsOf(b)).toEqual(["ended", "ends soon", "ends soon"]);
    expect(await kindsOf(c)).toEqual(["ended", "ends soon"]);
    await goTo(at(3, 0));
    expect(await kindsOf(a)).toHaveLength(2);
    expect(await kindsOf(b)).toHaveLength(3);
  });

  test("are for the last end after several extensions", async () => {
    const { person, staff, goTo } = begin();
    const ada = person("ada");
    const zone = await staff.open("A", 9, 100);
    const permit = await ada.buy(zone, "ADA", 1);
    await ada.extend(permit, 1);
    await goTo(at(1, 9));
    await ada.extend(permit, 1);
    await goTo(at(2, 12) - 1);
    expect(await kindsOf(ada)).toEqual([]);
    await goTo(at(3, 0));
    expect(await kindsOf(ada)).toEqual(["ended", "ends soon"]);
  });

  test("are not given any more for a cancelled permit", async () => {
    const { person, staff, goTo } = begin();
    const [a, b, c] = ["a", "b", "c"].map((name) => person(name));
    if (!a || !b || !c) throw new Error("too few");
    const zone = await staff.open("A", 9, 100);
    const permitA = await a.buy(zone, "A", 1);
    const permitB = await b.buy(zone, "B", 1);
    const permitC = await c.buy(zone, "C", 1);
    await c.extend(permitC, 1);
    await goTo(at(0, 11));
    await a.cancel(permitA);
    await c.cancel(permitC);
    expect(await kindsOf(a)).toEqual([]);
    await goTo(at(0, 12));
    expect(await kindsOf(b)).toEqual(["ends soon"]);
    await goTo(at(0, 15));
    await b.cancel(permitB);
    await goTo(at(3, 0));
    expect(await kindsOf(a)).toEqual([]);
    expect(await kindsOf(b)).toEqual(["ends soon"]);
    expect(await kindsOf(c)).toEqual([]);
  });

  test("of one permit are not stopped by another that was cancelled", async () => {
    const { person, staff, goTo } = begin();
    const ada = person("ada");
    const zone = await staff.open("A", 9, 100);
    const first = await ada.buy(zone, "ADA", 1);
    await goTo(at(0, 10));
    await ada.cancel(first);
    await ada.buy(zone, "ADA", 2);
    await goTo(at(0, 12));
    expect(await kindsOf(ada)).toEqual([]);
    await goTo(at(1, 0));
    expect(await kindsOf(ada)).toEqual([]);
    await goTo(at(1, 12));
    expect(await kindsOf(ada)).toEqual(["ends soon"]);
    await goTo(at(2, 0));
    expect(await kindsOf(ada)).toEqual(["ended", "ends soon"]);
  });

  test("are given for each permit, with its zone, newest first", async () => {
    const { person, staff, goTo } = begin();
    const [p, a] = ["p", "a"].map((name) => person(name));
    if (!p || !a) throw new Error("too few");
    const one = await staff.open("A", 9, 100);
    const two = await staff.open("B", 9, 100);
    const three = await staff.open("C", 1, 100);
    const permit = await p.buy(three, "P", 9);
    await a.buy(one, "A", 1);
    await a.buy(two, "A", 2);
    await a.join(three);
    await goTo(at(0, 15));
    await p.cancel(permit);
    await goTo(at(2, 0));
    expect(await a.notices()).toEqual([
      { zone: two, kind: "ended" },
      { zone: two, kind: "ends soon" },
      { zone: one, kind: "ended" },
      { zone: three, kind: "offer" },
      { zone: one, kind: "ends soon" },
    ]);
    expect(await p.notices()).toEqual([]);
  });
});
