// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/// <reference types="vite/client" />
import { convexTest } from "convex-test";
import { afterEach, describe, expect, test, vi } from "vitest";
import { api } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import schema from "./schema";

const modules = import.meta.glob("./**/*.*s");

type Zone = Id<"zones">;
type Permit = Id<"permits">;

const ISSUER = "https://one.example";
const OTHER_ISSUER = "https://two.example";
const HOUR = 60 * 60 * 1000;

/** A moment in March 2027, the first of which is a Monday. */
function on(day: number, hour = 0, minute = 0) {
  return Date.UTC(2027, 2, day, hour, minute);
}

/** What a call is refused with; null if it is not. */
async function refusal(call: Promise<unknown>): Promise<unknown> {
  const error: unknown = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  return typeof error === "object" && error !== null && "data" in error ? error.data : error;
}

function begin(now: number) {
  vi.useFakeTimers({ now });
  const t = convexTest(schema, modules);

  /** Goes to a moment, and stops on the way wherever something is scheduled. */
  async function goTo(moment: number) {
    // What runs at the moment may schedule more for the same moment.
    for (let round = 0; round < 3; round++) {
      const marker = { isReached: false };
      setTimeout(() => {
        marker.isReached = true;
      }, moment - Date.now());
      while (!marker.isReached) {
        vi.advanceTimersToNextTimer();
        await t.finishInProgressScheduledFunctions();
      }
    }
  }

  /** Waits for a change, and for what it schedules for the same moment. */
  async function done<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } finally {
      await goTo(Date.now());
    }
  }

  const user = (caller: Pick<typeof t, "query" | "mutation">) => ({
    open: (places: number, fee: number, name = "North") =>
      done(caller.mutation(api.zones.open, { name, places, fee })),
    change: (zone: Zone, places: number, fee: number) =>
      done(caller.mutation(api.zones.change, { zone, places, fee })),
    zones: () => caller.query(api.zones.list, {}),
    free: async (zone: Zone) =>
      (await caller.query(api.zones.list, {})).find(({ id }) => id === zone)?.free,

    buy: (zone: Zone, plate: string, days: number) =>
      done(caller.mutation(api.permits.buy, { zone, plate, days })),
    extend: (permit: Permit, days: number) =>
      done(caller.mutation(api.permits.extend, { permit, days })),
    cancel: (permit: Permit) => done(caller.mutation(api.permits.cancel, { permit })),
    move: (permit: Permit, plate: string) =>
      done(caller.mutation(api.permits.move, { permit, plate })),
    permits: () => caller.query(api.permits.mine, {}),
    permit: async (permit: Permit) =>
      (await caller.query(api.permits.mine, {})).find(({ id }) => id === permit),
    check: (zone: Zone, plate: string) => caller.query(api.permits.check, { zone, plate }),

    join: (zone: Zone) => done(caller.mutation(api.line.join, { zone })),
    leave: (zone: Zone) => done(caller.mutation(api.line.leave, { zone })),
    lines: () => caller.query(api.line.mine, {}),
    /** When the offer in a zone ends, "waits" without one, "out" if not in its line. */
    offer: async (zone: Zone) => {
      const lines = await caller.query(api.line.mine, {});
      const place = lines.find((line) => line.zone === zone);
      return place === undefined ? "out" : (place.offerEnds ?? "waits");
    },

    notices: () => caller.query(api.notices.mine, {}),
    kinds: async () => (await caller.query(api.notices.mine, {})).map(({ kind }) => kind),

    // An amount of -0 is as good as 0.
    takings: async (day: string) => (await caller.query(api.reports.takings, { day })) + 0,
  });

  const person = (subject: string, { issuer = ISSUER, role }: { issuer?: string; role?: string } = {}) =>
    user(
      t.withIdentity({
        issuer,
        subject,
        tokenIdentifier: `${issuer}|${subject}`,
        ...(role === undefined ? {} : { role }),
      }),
    );

  return {
    goTo,
    person,
    nobody: user(t),
    staff: person("sam", { role: "staff" }),
    warden: person("will", { role: "warden" }),
    ada: person("ada"),
    bob: person("bob"),
    cy: person("cy"),
    dee: person("dee"),
    eve: person("eve"),
  };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("people", () => {
  test("whoever is not signed in is refused everything", async () => {
    const { nobody, staff, ada, goTo } = begin(on(1, 10));
    const zone = await staff.open(2, 1000);
    const permit = await ada.buy(zone, "A1", 2);
    const past = await ada.buy(zone, "A2", 1);
    await goTo(on(2, 10));
    const calls = [
      () => nobody.open(1, 1000),
      () => nobody.change(zone, 5, 1),
      () => nobody.zones(),
      () => nobody.buy(zone, "B1", 1),
      () => nobody.buy(zone, "B1", 0),
      () => nobody.buy(zone, "B1", 22),
      () => nobody.buy(zone, "A1", 1),
      () => nobody.extend(permit, 1),
      () => nobody.extend(permit, 0),
      () => nobody.extend(past, 1),
      () => nobody.cancel(permit),
      () => nobody.cancel(past),
      () => nobody.move(permit, "B1"),
      () => nobody.move(past, "B1"),
      () => nobody.permits(),
      () => nobody.check(zone, "A1"),
      () => nobody.join(zone),
      () => nobody.leave(zone),
      () => nobody.lines(),
      () => nobody.notices(),
      () => nobody.takings("2027-03-01"),
    ];
    for (const call of calls) expect(await refusal(call())).toBe("not signed in");
    expect(await staff.zones()).toEqual([{ id: zone, name: "North", fee: 1000, free: 1 }]);
    expect(await ada.permits()).toHaveLength(1);
  });

  test("staff alone open and change zones and read the takings", async () => {
    const { staff, warden, ada, person } = begin(on(1, 10));
    const zone = await staff.open(2, 1000);
    for (const other of [warden, ada, person("vic", { role: "visitor" })]) {
      expect(await refusal(other.open(1, 500))).toBe("not allowed");
      expect(await refusal(other.change(zone, 1, 500))).toBe("not allowed");
      expect(await refusal(other.takings("2027-03-01"))).toBe("not allowed");
    }
    expect(await staff.takings("2027-03-01")).toBe(0);
    expect(await ada.zones()).toEqual([{ id: zone, name: "North", fee: 1000, free: 2 }]);
    await staff.change(zone, 3, 700);
    expect(await warden.zones()).toEqual([{ id: zone, name: "North", fee: 700, free: 3 }]);
  });

  test("staff and wardens check plates, all others do not", async () => {
    const { staff, warden, ada, person } = begin(on(1, 10));
    const zone = await staff.open(2, 1000);
    await ada.buy(zone, "A1", 1);
    expect(await staff.check(zone, "A1")).toBe(true);
    expect(await warden.check(zone, "A1")).toBe(true);
    expect(await warden.check(zone, "A2")).toBe(false);
    expect(await refusal(ada.check(zone, "A1"))).toBe("not allowed");
    const visitor = person("vic", { role: "visitor" });
    expect(await refusal(visitor.check(zone, "A1"))).toBe("not allowed");
  });

  test("permits belong to one person", async () => {
    const { staff, warden, ada, bob, person } = begin(on(1, 10));
    const zone = await staff.open(5, 1000);
    const permit = await ada.buy(zone, "A1", 2);
    const others = [bob, staff, warden, person("ada", { issuer: OTHER_ISSUER })];
    for (const other of others) {
      expect(await other.permits()).toEqual([]);
      expect(await refusal(other.extend(permit, 1))).toBe("not found");
      expect(await refusal(other.cancel(permit))).toBe("not found");
      expect(await refusal(other.move(permit, "B1"))).toBe("not found");
    }
    expect(await ada.permits()).toEqual([
      { id: permit, zone, plate: "A1", ends: on(3), paid: 2000 },
    ]);
  });

  test("the same subject of another issuer is somebody else", async () => {
    const { staff, ada, bob, person, goTo } = begin(on(1, 10));
    const namesake = person("ada", { issuer: OTHER_ISSUER });
    const wide = await staff.open(5, 1000, "Wide");
    const narrow = await staff.open(1, 1000, "Narrow");
    await ada.buy(wide, "A1", 3);
    await ada.buy(wide, "A2", 3);
    const taken = await bob.buy(narrow, "B1", 3);
    await goTo(on(1, 11));
    await ada.join(narrow);
    expect(await namesake.lines()).toEqual([]);
    expect(await refusal(namesake.leave(narrow))).toBe("not in line");
    await goTo(on(1, 11, 10));
    await bob.cancel(taken);
    expect(await ada.kinds()).toEqual(["offer"]);
    expect(await namesake.notices()).toEqual([]);
    expect(await refusal(namesake.buy(narrow, "N1", 1))).toBe("zone full");
    await goTo(on(1, 11, 20));
    expect(await refusal(namesake.join(narrow))).toBe(null);
    expect(await namesake.offer(narrow)).toBe("waits");
    expect(await ada.offer(narrow)).toBe(on(2, 11, 10));
    expect(await refusal(namesake.buy(wide, "N1", 1))).toBe(null);
    expect(await namesake.permits()).toHaveLength(1);
    expect(await ada.permits()).toHaveLength(2);
  });

  test("lines and notices belong to one person", async () => {
    const { staff, ada, bob, cy, goTo } = begin(on(1, 10));
    const zone = await staff.open(1, 1000);
    const permit = await ada.buy(zone, "A1", 2);
    await bob.join(zone);
    await goTo(on(1, 11));
    await ada.cancel(permit);
    expect(await bob.notices()).toEqual([{ zone, kind: "offer" }]);
    for (const other of [ada, cy, staff]) {
      expect(await other.notices()).toEqual([]);
      expect(await other.lines()).toEqual([]);
    }
  });
});

test("a zone that does not exist is not found", async () => {
  const elsewhere = begin(on(1, 10));
  let unknown = await elsewhere.staff.open(1, 1000);
  for (let i = 0; i < 30; i++) unknown = await elsewhere.staff.open(1, 1000);

  const { staff, ada } = begin(on(1, 10));
  await staff.open(1, 1000);
  expect(await refusal(staff.change(unknown, 1, 1000))).toBe("not found");
  expect(await refusal(ada.buy(unknown, "A1", 1))).toBe("not found");
  expect(await refusal(ada.join(unknown))).toBe("not found");
});

describe("permits", () => {
  test("are for whole days, at least one", async () => {
    const { staff, ada } = begin(on(1, 10));
    const zone = await staff.open(2, 1000);
    for (const days of [0, -1, 0.5, 1.5])
      expect(await refusal(ada.buy(zone, "A1", days))).toBe("bad days");
    expect(await ada.permits()).toEqual([]);
    const permit = await ada.buy(zone, "A1", 3);
    for (const days of [0, -1, 0.5, 1.5])
      expect(await refusal(ada.extend(permit, days))).toBe("bad days");
    expect(await ada.permit(permit)).toMatchObject({ ends: on(4), paid: 3000 });
    expect(await staff.takings("2027-03-01")).toBe(3000);
  });

  test("are valid up to the midnight that ends the last day", async () => {
    const { staff, warden, ada, bob, goTo } = begin(on(1, 10));
    const zone = await staff.open(3, 1000);
    const one = await ada.buy(zone, "A1", 1);
    const two = await bob.buy(zone, "B1", 2);
    expect(await ada.permits()).toEqual([
      { id: one, zone, plate: "A1", ends: on(2), paid: 1000 },
    ]);
    expect(await bob.permit(two)).toMatchObject({ ends: on(3) });
    await goTo(on(2) - 1);
    expect(await ada.permits()).toHaveLength(1);
    expect(await warden.check(zone, "A1")).toBe(true);
    expect(await staff.free(zone)).toBe(1);
    await goTo(on(2));
    expect(await ada.permits()).toEqual([]);
    expect(await warden.check(zone, "A1")).toBe(false);
    expect(await warden.check(zone, "B1")).toBe(true);
    expect(await staff.free(zone)).toBe(2);
    await goTo(on(3));
    expect(await bob.permits()).toEqual([]);
    expect(await warden.check(zone, "B1")).toBe(false);
    expect(await staff.free(zone)).toBe(3);
  });

  test("begin on the day of the purchase, from its first moment to its last", async () => {
    const { staff, ada, bob, goTo } = begin(on(1));
    const zone = await staff.open(3, 1000);
    const early = await ada.buy(zone, "A1", 1);
    expect(await ada.permit(early)).toMatchObject({ ends: on(2) });
    await goTo(on(2) - 1);
    const late = await bob.buy(zone, "B1", 1);
    expect(await bob.permit(late)).toMatchObject({ ends: on(2) });
    await goTo(on(2));
    expect(await bob.permits()).toEqual([]);
  });

  test("are extended after their last day, while they are valid", async () => {
    const { staff, warden, ada, bob, goTo } = begin(on(1, 10));
    const zone = await staff.open(3, 1000);
    const permit = await ada.buy(zone, "A1", 2);
    await ada.extend(permit, 1);
    expect(await ada.permit(permit)).toMatchObject({ ends: on(4), paid: 3000 });
    const past = await bob.buy(zone, "B1", 1);
    await goTo(on(2));
    expect(await refusal(bob.extend(past, 1))).toBe("not found");
    expect(await refusal(bob.cancel(past))).toBe("not found");
    expect(await refusal(bob.move(past, "B2"))).toBe("not found");
    await goTo(on(4) - 1);
    await ada.extend(permit, 1);
    expect(await ada.permit(permit)).toMatchObject({ ends: on(5) });
    await goTo(on(4));
    expect(await warden.check(zone, "A1")).toBe(true);
    expect(await staff.free(zone)).toBe(2);
    await goTo(on(5));
    expect(await warden.check(zone, "A1")).toBe(false);
    expect(await ada.permits()).toEqual([]);
  });

  test("lie at most 21 days ahead when they are bought", async () => {
    const { staff, ada, goTo } = begin(on(1));
    const zone = await staff.open(3, 1000);
    expect(await refusal(ada.buy(zone, "A1", 22))).toBe("too long");
    const first = await ada.buy(zone, "A1", 21);
    expect(await ada.permit(first)).toMatchObject({ ends: on(22) });
    await goTo(on(2) - 1);
    expect(await refusal(ada.buy(zone, "A2", 22))).toBe("too long");
    const second = await ada.buy(zone, "A2", 21);
    expect(await ada.permit(second)).toMatchObject({ ends: on(22) });
  });

  test("lie at most 21 days ahead when they are extended", async () => {
    const { staff, ada, bob, goTo } = begin(on(1, 10));
    const zone = await staff.open(3, 1000);
    const permit = await ada.buy(zone, "A1", 19);
    expect(await refusal(ada.extend(permit, 3))).toBe("too long");
    await ada.extend(permit, 2);
    expect(await ada.permit(permit)).toMatchObject({ ends: on(22) });
    const short = await bob.buy(zone, "B1", 1);
    expect(await refusal(bob.extend(short, 21))).toBe("too long");
    await bob.extend(short, 20);
    expect(await bob.permit(short)).toMatchObject({ ends: on(22) });
    await goTo(on(2) - 1);
    expect(await refusal(ada.extend(permit, 1))).toBe("too long");
    await goTo(on(2));
    expect(await refusal(ada.extend(permit, 2))).toBe("too long");
    await ada.extend(permit, 1);
    expect(await ada.permit(permit)).toMatchObject({ ends: on(23) });
    await goTo(on(10, 10));
    expect(await refusal(ada.extend(permit, 9))).toBe("too long");
    await ada.extend(permit, 8);
    expect(await ada.permit(permit)).toMatchObject({ ends: on(31) });
  });

  test("have plates in which capitals, blanks and hyphens make no difference", async () => {
    const { staff, warden, ada, bob } = begin(on(1, 10));
    const zone = await staff.open(5, 1000);
    const permit = await ada.buy(zone, " ab-c d-1 2-3 ", 1);
    expect(await ada.permit(permit)).toMatchObject({ plate: "ABCD123" });
    for (const plate of ["ABCD123", "abcd123", "A B C D 1 2 3", "a-b-c-d-1-2-3", " AbCd 123 "]) {
      expect(await warden.check(zone, plate)).toBe(true);
      expect(await refusal(bob.buy(zone, plate, 1))).toBe("plate has permit");
    }
    const other = await bob.buy(zone, "XY 9", 1);
    expect(await refusal(bob.move(other, "a b-c d-123"))).toBe("plate has permit");
    await bob.move(other, "z-z 8-8 x");
    expect(await bob.permit(other)).toMatchObject({ plate: "ZZ88X" });
    expect(await warden.check(zone, "zz88x")).toBe(true);
  });

  test("are one for a plate in a zone, whoever holds it", async () => {
    const { staff, warden, ada, bob, cy, goTo } = begin(on(1, 10));
    const zone = await staff.open(5, 1000);
    const other = await staff.open(5, 1000, "South");
    await ada.buy(zone, "A1", 1);
    expect(await refusal(ada.buy(zone, "A1", 1))).toBe("plate has permit");
    expect(await refusal(bob.buy(zone, "A1", 1))).toBe("plate has permit");
    expect(await warden.check(other, "A1")).toBe(false);
    await bob.buy(other, "A1", 2);
    expect(await warden.check(other, "A1")).toBe(true);
    await goTo(on(2) - 1);
    expect(await refusal(bob.buy(zone, "A1", 1))).toBe("plate has permit");
    await goTo(on(2));
    const again = await bob.buy(zone, "A1", 1);
    expect(await refusal(cy.buy(zone, "A1", 1))).toBe("plate has permit");
    await bob.cancel(again);
    expect(await refusal(cy.buy(zone, "A1", 1))).toBe(null);
  });

  test("can be moved to a plate without a permit", async () => {
    const { staff, warden, ada, bob, cy, goTo } = begin(on(1, 10));
    const zone = await staff.open(5, 1000);
    const other = await staff.open(5, 1000, "South");
    const permit = await ada.buy(zone, "A1", 3);
    const second = await ada.buy(zone, "A2", 1);
    const foreign = await bob.buy(zone, "B1", 3);
    await bob.buy(other, "S1", 3);
    expect(await refusal(ada.move(permit, "A2"))).toBe("plate has permit");
    expect(await refusal(ada.move(permit, "B1"))).toBe("plate has permit");
    expect(await ada.permit(permit)).toMatchObject({ plate: "A1" });
    await ada.move(permit, "a 1");
    expect(await ada.permit(permit)).toMatchObject({ plate: "A1" });
    await ada.move(permit, "S1");
    expect(await ada.permit(permit)).toEqual({
      id: permit,
      zone,
      plate: "S1",
      ends: on(4),
      paid: 3000,
    });
    expect(await warden.check(zone, "A1")).toBe(false);
    expect(await warden.check(zone, "S1")).toBe(true);
    expect(await staff.free(zone)).toBe(2);
    expect(await refusal(cy.buy(zone, "A1", 1))).toBe(null);
    expect(await refusal(cy.buy(zone, "S1", 1))).toBe("plate has permit");
    await goTo(on(1, 12));
    await bob.cancel(foreign);
    await ada.move(permit, "B1");
    expect(await warden.check(zone, "B1")).toBe(true);
    await goTo(on(2));
    expect(await ada.permit(second)).toBe(undefined);
    await ada.move(permit, "A2");
    expect(await warden.check(zone, "A2")).toBe(true);
    expect(await warden.check(zone, "B1")).toBe(false);
  });

  test("are at most two for a person, in all zones together", async () => {
    const { staff, ada, goTo } = begin(on(1, 10));
    const zone = await staff.open(5, 1000);
    const other = await staff.open(5, 1000, "South");
    const first = await ada.buy(zone, "A1", 1);
    const second = await ada.buy(other, "A2", 5);
    expect(await staff.free(zone)).toBe(4);
    expect(await refusal(ada.buy(zone, "A3", 1))).toBe("two permits");
    expect(await refusal(ada.buy(other, "A3", 1))).toBe("two permits");
    await ada.extend(second, 1);
    await goTo(on(2) - 1);
    expect(await refusal(ada.buy(zone, "A3", 1))).toBe("two permits");
    await goTo(on(2));
    expect(await ada.permit(first)).toBe(undefined);
    const third = await ada.buy(zone, "A3", 3);
    expect(await refusal(ada.buy(zone, "A4", 1))).toBe("two permits");
    await ada.cancel(third);
    expect(await refusal(ada.buy(zone, "A4", 1))).toBe(null);
    expect(await ada.permits()).toHaveLength(2);
  });

  test("are over as soon as they are cancelled", async () => {
    const { staff, warden, ada, goTo } = begin(on(1, 10));
    const zone = await staff.open(1, 1000);
    const permit = await ada.buy(zone, "A1", 3);
    await goTo(on(1, 12));
    await ada.cancel(permit);
    expect(await ada.permits()).toEqual([]);
    expect(await warden.check(zone, "A1")).toBe(false);
    expect(await staff.free(zone)).toBe(1);
    expect(await refusal(ada.cancel(permit))).toBe("not found");
    expect(await refusal(ada.extend(permit, 1))).toBe("not found");
    expect(await refusal(ada.move(permit, "A2"))).toBe("not found");
    expect(await staff.takings("2027-03-01")).toBe(1000);
    expect(await refusal(ada.buy(zone, "A1", 1))).toBe(null);
  });
});

describe("money", () => {
  test.each([
    { name: "Monday", now: on(1, 10), days: 1, fee: 1000, price: 1000 },
    { name: "Friday", now: on(5, 10), days: 1, fee: 1000, price: 1000 },
    { name: "end of Friday", now: on(6) - 1, days: 1, fee: 1000, price: 1000 },
    { name: "beginning of Saturday", now: on(6), days: 1, fee: 1000, price: 500 },
    { name: "Sunday", now: on(7, 10), days: 1, fee: 1000, price: 500 },
    { name: "end of Sunday", now: on(8) - 1, days: 1, fee: 1000, price: 500 },
    { name: "beginning of Monday", now: on(8), days: 1, fee: 1000, price: 1000 },
    { name: "Thursday to Monday", now: on(4, 10), days: 5, fee: 1000, price: 4000 },
    { name: "six days", now: on(1, 10), days: 6, fee: 1000, price: 5500 },
    { name: "seven days", now: on(1, 10), days: 7, fee: 1000, price: 5400 },
    { name: "eight days", now: on(1, 10), days: 8, fee: 1000, price: 6300 },
    { name: "21 days", now: on(1, 10), days: 21, fee: 1000, price: 16200 },
    { name: "half an odd fee", now: on(6, 10), days: 1, fee: 101, price: 50 },
    { name: "two halves", now: on(6, 10), days: 2, fee: 101, price: 101 },
    { name: "fraction of nine tenths", now: on(6, 10), days: 8, fee: 101, price: 590 },
    { name: "halves and tenths", now: on(6, 10), days: 8, fee: 105, price: 614 },
    { name: "tenths of each day", now: on(1, 10), days: 7, fee: 99, price: 534 },
  ])("prices a purchase: $name", async ({ now, days, fee, price }) => {
    const { staff, ada } = begin(now);
    const zone = await staff.open(1, fee);
    const permit = await ada.buy(zone, "A1", days);
    expect(await ada.permit(permit)).toMatchObject({ paid: price });
    expect(await staff.takings(new Date(now).toISOString().slice(0, 10))).toBe(price);
  });

  test("prices an extension by its own days", async () => {
    const { staff, ada, bob, cy } = begin(on(1, 10));
    const zone = await staff.open(5, 1000);
    const weekend = await ada.buy(zone, "A1", 5);
    await ada.extend(weekend, 2);
    expect(await ada.permit(weekend)).toMatchObject({ ends: on(8), paid: 6000 });
    await ada.extend(weekend, 1);
    expect(await ada.permit(weekend)).toMatchObject({ ends: on(9), paid: 7000 });
    const long = await bob.buy(zone, "B1", 1);
    await bob.extend(long, 7);
    expect(await bob.permit(long)).toMatchObject({ ends: on(9), paid: 6400 });
    const six = await cy.buy(zone, "C1", 7);
    await cy.extend(six, 6);
    expect(await cy.permit(six)).toMatchObject({ ends: on(14), paid: 10900 });
  });

  test("prices an extension by the fee of the moment", async () => {
    const { staff, ada } = begin(on(1, 10));
    const zone = await staff.open(5, 1000);
    const permit = await ada.buy(zone, "A1", 2);
    await staff.change(zone, 5, 3000);
    expect(await ada.permit(permit)).toMatchObject({ paid: 2000 });
    await ada.extend(permit, 1);
    expect(await ada.permit(permit)).toMatchObject({ paid: 5000 });
    const second = await ada.buy(zone, "A2", 1);
    expect(await ada.permit(second)).toMatchObject({ paid: 3000 });
  });

  test("drops the fraction of each price", async () => {
    const { staff, ada } = begin(on(6, 10));
    const zone = await staff.open(5, 101);
    const permit = await ada.buy(zone, "A1", 1);
    await ada.extend(permit, 1);
    expect(await ada.permit(permit)).toMatchObject({ paid: 100 });
    expect(await staff.takings("2027-03-06")).toBe(100);
  });

  test("pays back everything less than an hour after the purchase", async () => {
    const { staff, ada, bob, goTo } = begin(on(1, 10));
    const zone = await staff.open(5, 1000);
    const permit = await ada.buy(zone, "A1", 3);
    const other = await bob.buy(zone, "B1", 4);
    await goTo(on(1, 10, 30));
    await ada.extend(permit, 2);
    await goTo(on(1, 11) - 1);
    expect(await ada.cancel(permit)).toBe(5000);
    await goTo(on(1, 11));
    expect(await bob.cancel(other)).toBe(3000);
    expect(await staff.takings("2027-03-01")).toBe(1000);
  });

  test("counts the hour from the purchase, over midnight too", async () => {
    const { staff, ada, bob, cy, goTo } = begin(on(1, 10));
    const zone = await staff.open(5, 1000);
    const extended = await ada.buy(zone, "A1", 2);
    const moved = await bob.buy(zone, "B1", 2);
    await goTo(on(1, 10, 50));
    await bob.move(moved, "B2");
    await goTo(on(1, 11, 20));
    expect(await bob.cancel(moved)).toBe(1000);
    await goTo(on(1, 12, 30));
    await ada.extend(extended, 2);
    await goTo(on(1, 12, 45));
    expect(await ada.cancel(extended)).toBe(3000);
    await goTo(on(1, 23, 30));
    const late = await cy.buy(zone, "C1", 2);
    await goTo(on(2, 0, 15));
    expect(await cy.cancel(late)).toBe(2000);
    expect(await staff.takings("2027-03-02")).toBe(-2000);
  });

  test("pays back the days that have not begun", async () => {
    const { staff, ada, bob, cy, goTo } = begin(on(1, 10));
    const zone = await staff.open(5, 1000);
    const first = await ada.buy(zone, "A1", 4);
    const second = await bob.buy(zone, "B1", 4);
    const third = await cy.buy(zone, "C1", 2);
    await goTo(on(2) - 1);
    expect(await ada.cancel(first)).toBe(3000);
    await goTo(on(2));
    expect(await bob.cancel(second)).toBe(2000);
    await goTo(on(2, 20));
    expect((await cy.cancel(third)) + 0).toBe(0);
    expect(await cy.permits()).toEqual([]);
  });

  test("pays back a share of everything that was paid", async () => {
    const { staff, ada, bob, goTo } = begin(on(1, 10));
    const zone = await staff.open(5, 1000);
    const permit = await ada.buy(zone, "A1", 2);
    await staff.change(zone, 5, 3000);
    await ada.extend(permit, 2);
    expect(await ada.permit(permit)).toMatchObject({ paid: 8000 });
    await staff.change(zone, 5, 100);
    await goTo(on(2, 12));
    expect(await ada.cancel(permit)).toBe(4000);
    await goTo(on(5, 10));
    await staff.change(zone, 5, 1000);
    const weekend = await bob.buy(zone, "B1", 1);
    await bob.extend(weekend, 2);
    expect(await bob.permit(weekend)).toMatchObject({ paid: 2000 });
    await goTo(on(5, 12));
    expect(await bob.cancel(weekend)).toBe(1333);
  });

  test("drops the fraction of what is paid back", async () => {
    const { staff, ada, goTo } = begin(on(1, 10));
    const zone = await staff.open(5, 100);
    const permit = await ada.buy(zone, "A1", 7);
    expect(await ada.permit(permit)).toMatchObject({ paid: 540 });
    await goTo(on(1, 12));
    expect(await ada.cancel(permit)).toBe(462);
  });

  test("takes in on each day what was paid, less what was paid back", async () => {
    const { staff, ada, bob, cy, goTo } = begin(on(1, 10));
    const zone = await staff.open(5, 1000);
    const other = await staff.open(5, 500, "South");
    const permit = await ada.buy(zone, "A1", 3);
    await goTo(on(2) - 1);
    await bob.buy(other, "B1", 1);
    await goTo(on(2));
    await cy.buy(zone, "C1", 1);
    expect(await staff.takings("2027-03-01")).toBe(3500);
    expect(await staff.takings("2027-03-02")).toBe(1000);
    await goTo(on(2, 15));
    await ada.extend(permit, 1);
    expect(await staff.takings("2027-03-02")).toBe(2000);
    await goTo(on(3));
    expect(await ada.cancel(permit)).toBe(1000);
    expect(await staff.takings("2027-02-28")).toBe(0);
    expect(await staff.takings("2027-03-01")).toBe(3500);
    expect(await staff.takings("2027-03-02")).toBe(2000);
    expect(await staff.takings("2027-03-03")).toBe(-1000);
    expect(await staff.takings("2027-03-04")).toBe(0);
  });
});

describe("places", () => {
  test("are taken by valid permits", async () => {
    const { staff, ada, bob, cy, goTo } = begin(on(1, 10));
    const zone = await staff.open(2, 1000);
    const other = await staff.open(1, 1000, "South");
    await ada.buy(zone, "A1", 1);
    expect(await ada.free(zone)).toBe(1);
    await bob.buy(zone, "B1", 2);
    expect(await ada.free(zone)).toBe(0);
    expect(await ada.free(other)).toBe(1);
    expect(await refusal(cy.buy(zone, "C1", 1))).toBe("zone full");
    await goTo(on(2) - 1);
    expect(await refusal(cy.buy(zone, "C1", 1))).toBe("zone full");
    await goTo(on(2));
    expect(await ada.free(zone)).toBe(1);
    expect(await refusal(cy.buy(zone, "C1", 1))).toBe(null);
    expect(await ada.free(zone)).toBe(0);
    expect(await staff.takings("2027-03-01")).toBe(3000);
  });

  test("are all taken in a zone that has none", async () => {
    const { staff, ada } = begin(on(1, 10));
    const zone = await staff.open(0, 1000);
    expect(await ada.free(zone)).toBe(0);
    expect(await refusal(ada.buy(zone, "A1", 1))).toBe("zone full");
    await ada.join(zone);
    expect(await ada.offer(zone)).toBe("waits");
  });

  test("are waited for where none is free, by each person once in a zone", async () => {
    const { staff, ada, bob } = begin(on(1, 10));
    const zone = await staff.open(1, 1000);
    const other = await staff.open(1, 1000, "South");
    expect(await refusal(bob.join(zone))).toBe("places free");
    expect(await refusal(bob.leave(zone))).toBe("not in line");
    await ada.buy(zone, "A1", 2);
    await ada.buy(other, "A2", 2);
    await bob.join(zone);
    expect(await bob.lines()).toEqual([{ zone, offerEnds: null }]);
    expect(await refusal(bob.join(zone))).toBe("in line already");
    expect(await refusal(bob.leave(other))).toBe("not in line");
    await bob.join(other);
    expect(await bob.lines()).toHaveLength(2);
    await bob.leave(zone);
    expect(await bob.lines()).toEqual([{ zone: other, offerEnds: null }]);
    expect(await refusal(bob.leave(zone))).toBe("not in line");
    expect(await bob.notices()).toEqual([]);
  });

  test("are offered when a permit is cancelled, and the offer is for one person", async () => {
    const { staff, ada, bob, cy, dee, eve, goTo } = begin(on(1, 10));
    const zone = await staff.open(1, 1000);
    const permit = await ada.buy(zone, "A1", 5);
    await goTo(on(1, 10, 10));
    await dee.join(zone);
    await goTo(on(1, 10, 20));
    await bob.join(zone);
    await goTo(on(1, 10, 30));
    await cy.join(zone);
    await goTo(on(1, 12));
    await ada.cancel(permit);
    expect(await dee.lines()).toEqual([{ zone, offerEnds: on(2, 12) }]);
    expect(await dee.notices()).toEqual([{ zone, kind: "offer" }]);
    for (const other of [bob, cy]) {
      expect(await other.lines()).toEqual([{ zone, offerEnds: null }]);
      expect(await other.notices()).toEqual([]);
    }
    expect(await staff.free(zone)).toBe(0);
    for (const other of [ada, bob, cy, eve])
      expect(await refusal(other.buy(zone, "X1", 1))).toBe("zone full");
    expect(await bob.offer(zone)).toBe("waits");
    expect(await refusal(dee.join(zone))).toBe("in line already");
    await goTo(on(1, 13));
    expect(await refusal(eve.join(zone))).toBe(null);
    await dee.buy(zone, "D1", 2);
    expect(await dee.lines()).toEqual([]);
    expect(await staff.free(zone)).toBe(0);
    expect(await bob.offer(zone)).toBe("waits");
    // The offer was used: nothing lapses, and its former owner waits no longer.
    await goTo(on(2, 12));
    expect(await bob.offer(zone)).toBe("waits");
    expect(await dee.permits()).toHaveLength(1);
    await goTo(on(3));
    expect(await bob.offer(zone)).toBe(on(4));
    expect(await cy.offer(zone)).toBe("waits");
    expect(await dee.lines()).toEqual([]);
    expect(await staff.free(zone)).toBe(0);
    // Nothing more happens at the former end of the cancelled permit than what is due.
    await goTo(on(4));
    expect(await bob.offer(zone)).toBe("out");
    expect(await cy.offer(zone)).toBe(on(5));
    expect(await eve.offer(zone)).toBe("waits");
    expect(await cy.kinds()).toEqual(["offer"]);
  });

  test("are offered when permits end, several to several people", async () => {
    const { staff, ada, bob, cy, dee, eve, person, goTo } = begin(on(1, 10));
    const zone = await staff.open(2, 1000);
    await ada.buy(zone, "A1", 1);
    await bob.buy(zone, "B1", 1);
    const fay = person("fay");
    for (const [i, next] of [eve, cy, dee, fay].entries()) {
      await goTo(on(1, 11, i));
      await next.join(zone);
    }
    await goTo(on(2) - 1);
    expect(await eve.offer(zone)).toBe("waits");
    await goTo(on(2));
    expect(await eve.offer(zone)).toBe(on(3));
    expect(await cy.offer(zone)).toBe(on(3));
    expect(await dee.offer(zone)).toBe("waits");
    expect(await staff.free(zone)).toBe(0);
    expect(await refusal(bob.buy(zone, "B1", 1))).toBe("zone full");
    await goTo(on(3));
    expect(await eve.offer(zone)).toBe("out");
    expect(await cy.offer(zone)).toBe("out");
    expect(await dee.offer(zone)).toBe(on(4));
    expect(await fay.offer(zone)).toBe(on(4));
    expect(await eve.kinds()).toEqual(["offer"]);
    expect(await dee.kinds()).toEqual(["offer"]);
    await goTo(on(4));
    expect(await staff.free(zone)).toBe(2);
  });

  test("are offered for 24 hours, and then to the next", async () => {
    const { staff, ada, bob, cy, dee, goTo } = begin(on(1, 10));
    const zone = await staff.open(1, 1000);
    const permit = await ada.buy(zone, "A1", 5);
    await bob.join(zone);
    await goTo(on(1, 10, 20));
    await cy.join(zone);
    await goTo(on(1, 11, 30));
    await ada.cancel(permit);
    await goTo(on(2, 11, 30) - 1);
    expect(await bob.offer(zone)).toBe(on(2, 11, 30));
    expect(await cy.offer(zone)).toBe("waits");
    expect(await staff.free(zone)).toBe(0);
    await goTo(on(2, 11, 30));
    expect(await bob.lines()).toEqual([]);
    expect(await refusal(bob.buy(zone, "B1", 1))).toBe("zone full");
    expect(await refusal(bob.leave(zone))).toBe("not in line");
    expect(await cy.offer(zone)).toBe(on(3, 11, 30));
    expect(await cy.kinds()).toEqual(["offer"]);
    expect(await bob.kinds()).toEqual(["offer"]);
    await goTo(on(3, 11, 30) - 1);
    expect(await refusal(dee.buy(zone, "D1", 1))).toBe("zone full");
    await goTo(on(3, 11, 30));
    expect(await cy.lines()).toEqual([]);
    expect(await staff.free(zone)).toBe(1);
    expect(await refusal(cy.join(zone))).toBe("places free");
    expect(await refusal(dee.buy(zone, "D1", 1))).toBe(null);
  });

  test("can be bought up to the last moment of an offer", async () => {
    const { staff, ada, bob, cy, goTo } = begin(on(1, 10));
    const zone = await staff.open(1, 1000);
    const permit = await ada.buy(zone, "A1", 5);
    await bob.join(zone);
    await goTo(on(1, 10, 20));
    await cy.join(zone);
    await goTo(on(1, 11, 30));
    await ada.cancel(permit);
    await goTo(on(2, 11, 30) - 1);
    expect(await refusal(bob.buy(zone, "B1", 1))).toBe(null);
    await goTo(on(2, 11, 30));
    expect(await cy.offer(zone)).toBe("waits");
    expect(await bob.permits()).toHaveLength(1);
    await goTo(on(3));
    expect(await cy.offer(zone)).toBe(on(4));
  });

  test("are offered to the next when an offer is given up", async () => {
    const { staff, ada, bob, cy, dee, goTo } = begin(on(1, 10));
    const zone = await staff.open(1, 1000);
    const permit = await ada.buy(zone, "A1", 5);
    for (const [i, next] of [bob, cy, dee].entries()) {
      await goTo(on(1, 10, 10 + i));
      await next.join(zone);
    }
    await goTo(on(1, 12));
    await ada.cancel(permit);
    await goTo(on(1, 15));
    await bob.leave(zone);
    expect(await bob.lines()).toEqual([]);
    expect(await cy.offer(zone)).toBe(on(2, 15));
    expect(await cy.kinds()).toEqual(["offer"]);
    expect(await dee.offer(zone)).toBe("waits");
    expect(await refusal(bob.buy(zone, "B1", 1))).toBe("zone full");
    // The time of the offer that was given up is of no importance any more.
    await goTo(on(2, 12));
    expect(await cy.offer(zone)).toBe(on(2, 15));
    await goTo(on(2, 15));
    expect(await cy.offer(zone)).toBe("out");
    expect(await dee.offer(zone)).toBe(on(3, 15));
    await goTo(on(2, 16));
    await dee.leave(zone);
    expect(await staff.free(zone)).toBe(1);
  });

  test("are not offered to people who have left, and last to those who have come again", async () => {
    const { staff, ada, bob, cy, dee, goTo } = begin(on(1, 10));
    const zone = await staff.open(1, 1000);
    const permit = await ada.buy(zone, "A1", 5);
    for (const [i, next] of [bob, cy, dee].entries()) {
      await goTo(on(1, 10, 10 + i));
      await next.join(zone);
    }
    await goTo(on(1, 10, 30));
    await bob.leave(zone);
    expect(await cy.offer(zone)).toBe("waits");
    await goTo(on(1, 10, 40));
    await cy.leave(zone);
    await goTo(on(1, 10, 50));
    await cy.join(zone);
    await goTo(on(1, 12));
    await ada.cancel(permit);
    expect(await dee.offer(zone)).toBe(on(2, 12));
    expect(await cy.offer(zone)).toBe("waits");
    expect(await bob.lines()).toEqual([]);
    expect(await bob.notices()).toEqual([]);
    await goTo(on(2, 12));
    expect(await dee.offer(zone)).toBe("out");
    expect(await cy.offer(zone)).toBe(on(3, 12));
    await goTo(on(2, 13));
    await bob.join(zone);
    await goTo(on(2, 14));
    await dee.join(zone);
    await goTo(on(3, 12));
    expect(await bob.offer(zone)).toBe(on(4, 12));
    expect(await dee.offer(zone)).toBe("waits");
    await goTo(on(4, 12));
    expect(await dee.offer(zone)).toBe(on(5, 12));
    expect(await dee.kinds()).toEqual(["offer", "offer"]);
  });

  test("are offered when a zone gets more of them", async () => {
    const { staff, ada, bob, cy, dee, eve, goTo } = begin(on(1, 10));
    const zone = await staff.open(1, 1000);
    await ada.buy(zone, "A1", 5);
    for (const [i, next] of [eve, bob, dee, cy].entries()) {
      await goTo(on(1, 10, 10 + i));
      await next.join(zone);
    }
    await goTo(on(1, 11));
    await staff.change(zone, 1, 900);
    expect(await eve.offer(zone)).toBe("waits");
    await goTo(on(1, 12));
    await staff.change(zone, 3, 900);
    expect(await eve.offer(zone)).toBe(on(2, 12));
    expect(await bob.offer(zone)).toBe(on(2, 12));
    expect(await dee.offer(zone)).toBe("waits");
    expect(await staff.free(zone)).toBe(0);
    await goTo(on(1, 14));
    await staff.change(zone, 4, 900);
    expect(await eve.offer(zone)).toBe(on(2, 12));
    expect(await dee.offer(zone)).toBe(on(2, 14));
    expect(await cy.offer(zone)).toBe("waits");
    expect(await eve.kinds()).toEqual(["offer"]);
    await staff.change(zone, 6, 900);
    expect(await cy.offer(zone)).toBe(on(2, 14));
    expect(await staff.free(zone)).toBe(1);
  });

  test("are not free before fewer are taken than there are", async () => {
    const { staff, warden, ada, bob, cy, dee, goTo } = begin(on(1, 10));
    const zone = await staff.open(2, 1000);
    const first = await ada.buy(zone, "A1", 5);
    const second = await bob.buy(zone, "B1", 5);
    await goTo(on(1, 11));
    await cy.join(zone);
    await staff.change(zone, 1, 1000);
    expect(await staff.free(zone)).toBe(0);
    expect(await warden.check(zone, "A1")).toBe(true);
    expect(await warden.check(zone, "B1")).toBe(true);
    await goTo(on(1, 12));
    await ada.cancel(first);
    expect(await staff.free(zone)).toBe(0);
    expect(await cy.offer(zone)).toBe("waits");
    expect(await refusal(dee.buy(zone, "D1", 1))).toBe("zone full");
    await goTo(on(1, 13));
    await bob.cancel(second);
    expect(await cy.offer(zone)).toBe(on(2, 13));
    expect(await staff.free(zone)).toBe(0);
  });

  test("stay offered when a zone gets fewer of them", async () => {
    const { staff, ada, bob, cy, dee, eve, goTo } = begin(on(1, 10));
    const zone = await staff.open(2, 1000);
    await ada.buy(zone, "A1", 5);
    await bob.buy(zone, "B1", 5);
    for (const [i, next] of [cy, dee, eve].entries()) {
      await goTo(on(1, 10, 10 + i));
      await next.join(zone);
    }
    await goTo(on(1, 11));
    await staff.change(zone, 4, 1000);
    await goTo(on(1, 12));
    await staff.change(zone, 2, 1000);
    expect(await cy.offer(zone)).toBe(on(2, 11));
    expect(await dee.offer(zone)).toBe(on(2, 11));
    expect(await staff.free(zone)).toBe(0);
    expect(await refusal(cy.buy(zone, "C1", 5))).toBe(null);
    expect(await refusal(eve.buy(zone, "E1", 1))).toBe("zone full");
    await goTo(on(2, 11));
    expect(await dee.offer(zone)).toBe("out");
    expect(await eve.offer(zone)).toBe("waits");
    expect(await staff.free(zone)).toBe(0);
    expect(await ada.permits()).toHaveLength(1);
    expect(await cy.permits()).toHaveLength(1);
  });

  test("belong to their zone, as do its line and offers", async () => {
    const { staff, ada, bob, cy, goTo } = begin(on(1, 10));
    const zone = await staff.open(1, 1000);
    const other = await staff.open(1, 1000, "South");
    const permit = await ada.buy(zone, "A1", 5);
    const second = await ada.buy(other, "A2", 5);
    await goTo(on(1, 10, 10));
    await bob.join(other);
    await goTo(on(1, 10, 20));
    await bob.join(zone);
    await goTo(on(1, 10, 30));
    await cy.join(other);
    await goTo(on(1, 12));
    await ada.cancel(permit);
    expect(await bob.offer(zone)).toBe(on(2, 12));
    expect(await bob.offer(other)).toBe("waits");
    expect(await cy.offer(other)).toBe("waits");
    expect(await bob.notices()).toEqual([{ zone, kind: "offer" }]);
    expect(await refusal(bob.buy(other, "B1", 1))).toBe("zone full");
    await bob.buy(zone, "B1", 5);
    expect(await bob.lines()).toEqual([{ zone: other, offerEnds: null }]);
    await goTo(on(1, 13));
    await ada.cancel(second);
    expect(await bob.offer(other)).toBe(on(2, 13));
    expect(await cy.offer(other)).toBe("waits");
    expect(await bob.notices()).toEqual([
      { zone: other, kind: "offer" },
      { zone, kind: "offer" },
    ]);
  });

  test("stay taken by a permit that is extended", async () => {
    const { staff, ada, bob, goTo } = begin(on(1, 10));
    const zone = await staff.open(1, 1000);
    const permit = await ada.buy(zone, "A1", 1);
    await bob.join(zone);
    await goTo(on(1, 11));
    await ada.extend(permit, 1);
    await goTo(on(2));
    expect(await bob.offer(zone)).toBe("waits");
    expect(await staff.free(zone)).toBe(0);
    expect(await bob.notices()).toEqual([]);
    await goTo(on(3));
    expect(await bob.offer(zone)).toBe(on(4));
    expect(await bob.kinds()).toEqual(["offer"]);
  });

  test("can be offered to the holder of two permits, who cannot buy a third", async () => {
    const { staff, ada, bob, cy, goTo } = begin(on(1, 10));
    const wide = await staff.open(5, 1000);
    const narrow = await staff.open(1, 1000, "South");
    const first = await ada.buy(wide, "A1", 5);
    await ada.buy(wide, "A2", 5);
    const taken = await bob.buy(narrow, "B1", 5);
    await goTo(on(1, 11));
    await ada.join(narrow);
    await goTo(on(1, 11, 10));
    await cy.join(narrow);
    await goTo(on(1, 12));
    await bob.cancel(taken);
    expect(await ada.offer(narrow)).toBe(on(2, 12));
    expect(await refusal(ada.buy(narrow, "A3", 1))).toBe("two permits");
    expect(await ada.offer(narrow)).toBe(on(2, 12));
    expect(await cy.offer(narrow)).toBe("waits");
    await ada.cancel(first);
    expect(await refusal(ada.buy(narrow, "A3", 1))).toBe(null);
    expect(await ada.lines()).toEqual([]);
  });

  test("stay offered when a purchase is refused", async () => {
    const { staff, ada, bob, cy, goTo } = begin(on(1, 10));
    const zone = await staff.open(2, 1000);
    const permit = await ada.buy(zone, "A1", 5);
    await cy.buy(zone, "C1", 5);
    await bob.join(zone);
    await goTo(on(1, 12));
    await ada.cancel(permit);
    expect(await refusal(bob.buy(zone, "c 1", 1))).toBe("plate has permit");
    expect(await refusal(bob.buy(zone, "B1", 0))).toBe("bad days");
    expect(await refusal(bob.buy(zone, "B1", 22))).toBe("too long");
    expect(await bob.offer(zone)).toBe(on(2, 12));
    expect(await bob.kinds()).toEqual(["offer"]);
    expect(await bob.permits()).toEqual([]);
    expect(await refusal(bob.buy(zone, "B1", 21))).toBe(null);
  });

  test("are free one by one when nobody waits", async () => {
    const { staff, ada, bob, cy, goTo } = begin(on(1, 10));
    const zone = await staff.open(3, 1000);
    const permit = await ada.buy(zone, "A1", 5);
    await ada.buy(zone, "A2", 5);
    await bob.buy(zone, "B1", 5);
    expect(await staff.free(zone)).toBe(0);
    await goTo(on(1, 10, 30));
    await ada.cancel(permit);
    expect(await staff.free(zone)).toBe(1);
    expect(await refusal(cy.join(zone))).toBe("places free");
    await cy.buy(zone, "C1", 1);
    expect(await staff.free(zone)).toBe(0);
  });
});

describe("notices", () => {
  test("come at noon of the last day and at the end", async () => {
    const { staff, ada, goTo } = begin(on(1, 10));
    const zone = await staff.open(2, 1000);
    await ada.buy(zone, "A1", 2);
    await goTo(on(2, 12) - 1);
    expect(await ada.notices()).toEqual([]);
    await goTo(on(2, 12));
    expect(await ada.notices()).toEqual([{ zone, kind: "ends soon" }]);
    await goTo(on(3) - 1);
    expect(await ada.kinds()).toEqual(["ends soon"]);
    await goTo(on(3));
    expect(await ada.notices()).toEqual([
      { zone, kind: "ended" },
      { zone, kind: "ends soon" },
    ]);
    await goTo(on(4, 12));
    expect(await ada.notices()).toHaveLength(2);
  });

  test("come at noon only if it is still to come at the purchase", async () => {
    const { staff, ada, bob, cy, dee, goTo } = begin(on(1, 11));
    const zone = await staff.open(5, 1000);
    await goTo(on(1, 12) - 1);
    await ada.buy(zone, "A1", 1);
    await goTo(on(1, 12));
    expect(await ada.kinds()).toEqual(["ends soon"]);
    await bob.buy(zone, "B1", 1);
    await goTo(on(1, 13));
    await cy.buy(zone, "C1", 1);
    await dee.buy(zone, "D1", 2);
    await goTo(on(2));
    expect(await ada.kinds()).toEqual(["ended", "ends soon"]);
    expect(await bob.kinds()).toEqual(["ended"]);
    expect(await cy.kinds()).toEqual(["ended"]);
    expect(await dee.kinds()).toEqual([]);
    await goTo(on(2, 12));
    expect(await dee.kinds()).toEqual(["ends soon"]);
  });

  test("come for the new end alone of an extended permit", async () => {
    const { staff, ada, goTo } = begin(on(1, 10));
    const zone = await staff.open(2, 1000);
    const permit = await ada.buy(zone, "A1", 1);
    await goTo(on(1, 11));
    await ada.extend(permit, 1);
    await goTo(on(2));
    expect(await ada.notices()).toEqual([]);
    await goTo(on(2, 11));
    await ada.extend(permit, 2);
    await goTo(on(4, 12) - 1);
    expect(await ada.notices()).toEqual([]);
    await goTo(on(4, 12));
    expect(await ada.kinds()).toEqual(["ends soon"]);
    await goTo(on(5));
    expect(await ada.kinds()).toEqual(["ended", "ends soon"]);
  });

  test("stay if they were given before an extension", async () => {
    const { staff, ada, bob, goTo } = begin(on(1, 10));
    const zone = await staff.open(2, 1000);
    const permit = await ada.buy(zone, "A1", 1);
    await goTo(on(1, 13));
    const late = await bob.buy(zone, "B1", 1);
    await ada.extend(permit, 1);
    await goTo(on(1, 14));
    await bob.extend(late, 1);
    await goTo(on(2));
    expect(await ada.kinds()).toEqual(["ends soon"]);
    expect(await bob.kinds()).toEqual([]);
    await goTo(on(2, 12));
    expect(await ada.kinds()).toEqual(["ends soon", "ends soon"]);
    expect(await bob.kinds()).toEqual(["ends soon"]);
    await goTo(on(3));
    expect(await ada.kinds()).toEqual(["ended", "ends soon", "ends soon"]);
    expect(await bob.kinds()).toEqual(["ended", "ends soon"]);
  });

  test("do not come for a cancelled permit", async () => {
    const { staff, ada, bob, cy, goTo } = begin(on(1, 10));
    const zone = await staff.open(3, 1000);
    const early = await ada.buy(zone, "A1", 2);
    const late = await bob.buy(zone, "B1", 2);
    const extended = await cy.buy(zone, "C1", 1);
    await cy.extend(extended, 1);
    await goTo(on(1, 15));
    await ada.cancel(early);
    await cy.cancel(extended);
    expect(await ada.notices()).toEqual([]);
    await goTo(on(2, 13));
    await bob.cancel(late);
    expect(await bob.kinds()).toEqual(["ends soon"]);
    await goTo(on(3, 1));
    expect(await ada.notices()).toEqual([]);
    expect(await bob.kinds()).toEqual(["ends soon"]);
    expect(await cy.notices()).toEqual([]);
  });

  test("come once for each permit, to its holder, newest first", async () => {
    const { staff, ada, bob, goTo } = begin(on(1, 10));
    const zone = await staff.open(1, 1000);
    const other = await staff.open(1, 1000, "South");
    const permit = await ada.buy(zone, "A1", 3);
    const moved = await ada.buy(other, "A2", 2);
    await bob.join(zone);
    await goTo(on(1, 11, 30));
    await ada.cancel(permit);
    await ada.move(moved, "A3");
    await bob.buy(zone, "B1", 1);
    await goTo(on(2, 12));
    expect(await bob.notices()).toEqual([
      { zone, kind: "ended" },
      { zone, kind: "ends soon" },
      { zone, kind: "offer" },
    ]);
    expect(await ada.notices()).toEqual([{ zone: other, kind: "ends soon" }]);
    await goTo(on(2, 12) + 24 * HOUR);
    expect(await ada.notices()).toEqual([
      { zone: other, kind: "ended" },
      { zone: other, kind: "ends soon" },
    ]);
    expect(await bob.notices()).toHaveLength(3);
  });
});
