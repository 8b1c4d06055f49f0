// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/// <reference types="vite/client" />
import { convexTest } from "convex-test";
import type { FunctionArgs, FunctionReturnType } from "convex/server";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { api } from "./_generated/api";
import schema from "./schema";

const modules = import.meta.glob("./**/*.*s");

const MINUTE = 60 * 1000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The midnight with which the first day of the tests begins. */
const MIDNIGHT = Date.UTC(2027, 2, 1);
/** The moment at which they begin. */
const START = MIDNIGHT + 9 * HOUR;

const NO_SUMS = {
  granted: 0,
  spent: 0,
  refunded: 0,
  sent: 0,
  received: 0,
  expired: 0,
  withdrawn: 0,
};

type Claims = { subject: string; issuer?: string; name?: string; role?: string };
type Lot = FunctionArgs<typeof api.lots.withdraw>["lot"];
type Hold = FunctionArgs<typeof api.holds.capture>["hold"];
type Page = FunctionReturnType<typeof api.statement.page>;

/** The midnight that ends the given number of days, of which the first is the tests' first. */
function after(days: number) {
  return MIDNIGHT + days * DAY;
}

/** Expects that a call is refused, for one of the reasons if any are given. */
async function refused(call: Promise<unknown>, ...reasons: string[]) {
  await expect(call).rejects.toThrow(new RegExp(reasons.join("|")));
}

function first<T>(list: T[]): T {
  const [found] = list;
  if (found === undefined) throw new Error("the list is empty");
  return found;
}

async function workshop() {
  const t = convexTest(schema, modules);
  const lapses: number[] = [];

  /** Finishes what is to be done at this moment. */
  async function settle() {
    for (let round = 0; round < 2; round += 1) {
      vi.advanceTimersByTime(0);
      await t.finishInProgressScheduledFunctions();
    }
  }

  /** Goes to a moment, with a stop wherever something may be scheduled. */
  async function goTo(moment: number) {
    while (Date.now() < moment) {
      const now = Date.now();
      const midnight = now - (now % DAY) + DAY;
      const next = Math.min(moment, midnight, ...lapses.filter((lapse) => lapse > now));
      vi.advanceTimersByTime(next - now);
      await settle();
    }
  }

  /** What somebody, or nobody, can call. */
  function desk(claims?: Claims) {
    const caller: Pick<typeof t, "query" | "mutation"> =
      claims === undefined ? t : t.withIdentity(claims);

    async function settled<T>(call: Promise<T>) {
      const result = await call;
      await settle();
      return result;
    }

    const place = async (credits: number, purpose = "lathe") => {
      const result = await settled(caller.mutation(api.holds.place, { credits, purpose }));
      if (result.hold !== null) lapses.push(Date.now() + 30 * MINUTE);
      return result;
    };

    return {
      join: async (name: string) => await settled(caller.mutation(api.people.join, { name })),

      grant: async (to: string, credits: number, days: number) =>
        await settled(caller.mutation(api.lots.grant, { to, credits, days })),
      withdraw: async (lot: Lot) => await settled(caller.mutation(api.lots.withdraw, { lot })),
      lots: async () => await caller.query(api.lots.mine, {}),
      /** The lots without their ids. */
      lefts: async () =>
        (await caller.query(api.lots.mine, {})).map(({ left, ends }) => ({ left, ends })),
      balance: async () => await caller.query(api.lots.balance, {}),

      place,
      /** Places a hold that must succeed. */
      hold: async (credits: number, purpose?: string): Promise<Hold> => {
        const { hold, missing } = await place(credits, purpose);
        expect(missing).toBe(0);
        if (hold === null) throw new Error("no hold was placed");
        return hold;
      },
      capture: async (hold: Hold, credits: number) =>
        await settled(caller.mutation(api.holds.capture, { hold, credits })),
      release: async (hold: Hold) => await settled(caller.mutation(api.holds.release, { hold })),
      refund: async (hold: Hold, credits: number) =>
        await settled(caller.mutation(api.holds.refund, { hold, credits })),
      holds: async () => await caller.query(api.holds.mine, {}),

      send: async (to: string, credits: number, key: string) =>
        await settled(caller.mutation(api.transfers.send, { to, credits, key })),

      /** All entries, read in pages. */
      entries: async (numItems = 50) => {
        const entries: Page["page"] = [];
        let cursor: string | null = null;
        for (let round = 0; round < 100; round += 1) {
          const result: Page = await caller.query(api.statement.page, {
            paginationOpts: { numItems, cursor },
          });
          entries.push(...result.page);
          if (result.isDone) return entries;
          cursor = result.continueCursor;
        }
        throw new Error("the statement does not end");
      },
      month: async (month: string) => await caller.query(api.statement.month, { month }),

      notices: async () => await caller.query(api.notices.mine, {}),

      owed: async () =>
        (await caller.query(api.reports.owed, {})).filter(({ credits }) => credits !== 0),
    };
  }

  const staff = desk({ subject: "office", role: "staff" });
  const ada = desk({ subject: "ada" });
  const bob = desk({ subject: "bob" });
  await ada.join("Ada");
  await bob.join("Bob");
  return { ada, bob, desk, goTo, staff };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(START);
});

afterEach(() => {
  vi.useRealTimers();
});

describe("people", () => {
  test("a person is an issuer and a subject together", async () => {
    const { desk, staff } = await workshop();
    const kim = desk({ subject: "kim", issuer: "https://one.test" });
    const elsewhere = desk({ subject: "kim", issuer: "https://two.test" });
    const lee = desk({ subject: "lee", issuer: "https://one.test" });
    await kim.join("Kim");
    await refused(elsewhere.balance(), "not a member");
    await refused(lee.balance(), "not a member");
    await elsewhere.join("Kim of Two");
    await lee.join("Lee");
    await staff.grant("Kim", 5, 3);
    expect(await kim.balance()).toEqual({ available: 5, held: 0 });
    expect(await elsewhere.balance()).toEqual({ available: 0, held: 0 });
    expect(await lee.balance()).toEqual({ available: 0, held: 0 });

    const hold = await kim.hold(1);
    await refused(elsewhere.release(hold), "not found");
    const again = desk({
      subject: "kim",
      issuer: "https://one.test",
      name: "Somebody",
      role: "helper",
    });
    expect(await again.balance()).toEqual({ available: 4, held: 1 });
    await refused(again.join("Kimberley"), "joined already");
  });

  test("people join once", async () => {
    const { ada, staff } = await workshop();
    await refused(ada.join("Countess"), "joined already");
    await refused(staff.grant("Countess", 1, 1), "no such member");
    await staff.grant("Ada", 3, 3);
    expect(await ada.balance()).toEqual({ available: 3, held: 0 });
  });

  test("nobody joins with a name of somebody else, whatever its capitals", async () => {
    const { desk } = await workshop();
    const cat = desk({ subject: "cat" });
    for (const name of ["Bob", "bob", "BOB", "bOb"]) await refused(cat.join(name), "name taken");
    await refused(cat.balance(), "not a member");
    await cat.join("catherine");
    const dan = desk({ subject: "dan" });
    for (const name of ["catherine", "Catherine", "CATHERINE"])
      await refused(dan.join(name), "name taken");
    await dan.join("Catherin");
  });

  test("capitals make no difference wherever a name is given", async () => {
    const { ada, bob, desk, staff } = await workshop();
    const cat = desk({ subject: "cat" });
    await cat.join("cat");
    for (const name of ["Ada", "ada", "ADA", "aDa"]) await staff.grant(name, 2, 3);
    await staff.grant("CAT", 1, 3);
    expect(await ada.balance()).toEqual({ available: 8, held: 0 });
    expect(await ada.send("BOB", 1, "a")).toBe(1);
    expect(await ada.send("bob", 1, "b")).toBe(1);
    expect(await ada.send("Cat", 1, "c")).toBe(1);
    expect(await bob.balance()).toEqual({ available: 2, held: 0 });
    expect(await cat.balance()).toEqual({ available: 2, held: 0 });
    for (const name of ["Ada", "ada", "ADA"])
      await refused(ada.send(name, 1, "d"), "to yourself");
  });

  test("whoever is not signed in is refused everything", async () => {
    const { ada, desk, staff } = await workshop();
    const lot = await staff.grant("Ada", 8, 3);
    const hold = await ada.hold(2);
    const used = await ada.hold(2);
    await ada.capture(used, 2);
    const nobody = desk();
    const calls = [
      () => nobody.join("Eve"),
      () => nobody.grant("Ada", 1, 1),
      () => nobody.withdraw(lot),
      () => nobody.lots(),
      () => nobody.balance(),
      () => nobody.place(1),
      () => nobody.capture(hold, 1),
      () => nobody.release(hold),
      () => nobody.refund(used, 1),
      () => nobody.holds(),
      () => nobody.send("Ada", 1, "a"),
      () => nobody.entries(),
      () => nobody.month("2027-03"),
      () => nobody.notices(),
      () => nobody.owed(),
    ];
    for (const call of calls) await refused(call(), "not signed in");
    expect(await ada.balance()).toEqual({ available: 4, held: 2 });
  });

  test("who has not joined is refused what members do", async () => {
    const { ada, desk, staff } = await workshop();
    await staff.grant("Ada", 8, 3);
    const hold = await ada.hold(2);
    for (const stranger of [desk({ subject: "eve" }), staff]) {
      const calls = [
        () => stranger.lots(),
        () => stranger.balance(),
        () => stranger.place(1),
        () => stranger.holds(),
        () => stranger.send("Ada", 1, "a"),
        () => stranger.entries(),
        () => stranger.month("2027-03"),
        () => stranger.notices(),
      ];
      for (const call of calls) await refused(call(), "not a member");
      await refused(stranger.capture(hold, 1), "not a member", "not found");
      await refused(stranger.release(hold), "not a member", "not found");
    }
    expect(await ada.balance()).toEqual({ available: 6, held: 2 });
  });

  test("only the staff grant, withdraw, refund and see the reports", async () => {
    const { ada, desk, staff } = await workshop();
    const lot = await staff.grant("Ada", 8, 3);
    const used = await ada.hold(2);
    await ada.capture(used, 2);
    const others = [
      ada,
      desk({ subject: "ada", role: "member" }),
      desk({ subject: "bob" }),
      desk({ subject: "eve" }),
      desk({ subject: "eve", role: "helper" }),
    ];
    for (const other of others) {
      await refused(other.grant("Ada", 1, 1), "not allowed");
      await refused(other.withdraw(lot), "not allowed");
      await refused(other.refund(used, 1), "not allowed");
      await refused(other.owed(), "not allowed");
    }
    expect(await ada.balance()).toEqual({ available: 6, held: 0 });
    expect(await staff.owed()).toEqual([{ ends: after(3), credits: 6 }]);
  });

  test("staff may be members", async () => {
    const { desk } = await workshop();
    const sam = desk({ subject: "sam", role: "staff" });
    await sam.join("Sam");
    await sam.grant("Sam", 5, 3);
    const hold = await sam.hold(3);
    await sam.capture(hold, 3);
    await sam.refund(hold, 1);
    expect(await sam.balance()).toEqual({ available: 3, held: 0 });
  });

  test("nobody else sees, captures or releases a hold", async () => {
    const { ada, bob, desk, staff } = await workshop();
    const sam = desk({ subject: "sam", role: "staff" });
    await sam.join("Sam");
    for (const name of ["Ada", "Bob", "Sam"]) await staff.grant(name, 8, 3);
    const hold = await ada.hold(3);
    for (const other of [bob, sam]) {
      expect(await other.holds()).toEqual([]);
      expect(await other.balance()).toEqual({ available: 8, held: 0 });
      await refused(other.capture(hold, 1), "not found");
      await refused(other.release(hold), "not found");
    }
    expect(await ada.balance()).toEqual({ available: 5, held: 3 });
    await ada.capture(hold, 3);
    expect(await ada.balance()).toEqual({ available: 5, held: 0 });
  });
});

describe("lots", () => {
  test("a grant is a whole number of credits, for 1 to 20 whole days, to a member", async () => {
    const { ada, staff } = await workshop();
    for (const credits of [0, -1, 0.5, 1.5])
      await refused(staff.grant("Ada", credits, 3), "bad credits");
    for (const days of [0, -1, 21, 0.5, 1.5]) await refused(staff.grant("Ada", 3, days), "bad days");
    await refused(staff.grant("Nobody", 3, 3), "no such member");
    expect(await ada.lefts()).toEqual([]);
    expect(await ada.entries()).toEqual([]);
    await staff.grant("Ada", 1, 20);
    await staff.grant("Ada", 1, 1);
    expect(await ada.lefts()).toEqual([
      { left: 1, ends: after(1) },
      { left: 1, ends: after(20) },
    ]);
  });

  test("the day of the grant is the first, from its midnight to its last moment", async () => {
    const { ada, goTo, staff } = await workshop();
    await staff.grant("Ada", 1, 1);
    await staff.grant("Ada", 2, 20);
    await goTo(after(1) - 1);
    await staff.grant("Ada", 4, 1);
    expect(await ada.lefts()).toEqual([
      { left: 1, ends: after(1) },
      { left: 4, ends: after(1) },
      { left: 2, ends: after(20) },
    ]);
    await goTo(after(1));
    await staff.grant("Ada", 8, 1);
    expect(await ada.lefts()).toEqual([
      { left: 8, ends: after(2) },
      { left: 2, ends: after(20) },
    ]);
  });

  test("credits can be used until the end, and from then on they cannot", async () => {
    const { ada, bob, goTo, staff } = await workshop();
    await staff.grant("Ada", 5, 1);
    await goTo(after(1) - 1);
    expect(await ada.balance()).toEqual({ available: 5, held: 0 });
    await ada.release(await ada.hold(5));
    expect(await ada.send("Bob", 2, "a")).toBe(2);
    expect(await ada.lefts()).toEqual([{ left: 3, ends: after(1) }]);
    expect(await bob.lefts()).toEqual([{ left: 2, ends: after(1) }]);

    await goTo(after(1));
    for (const member of [ada, bob]) {
      expect(await member.lefts()).toEqual([]);
      expect(await member.balance()).toEqual({ available: 0, held: 0 });
    }
    expect(await ada.place(1)).toEqual({ hold: null, missing: 1 });
    await refused(ada.send("Bob", 1, "b"), "not enough");
    expect(await ada.entries()).toEqual([
      { kind: "expired", credits: -3, at: after(1), balance: 0 },
      { kind: "sent", credits: -2, at: after(1) - 1, balance: 3 },
      { kind: "granted", credits: 5, at: START, balance: 5 },
    ]);
    expect(await bob.entries()).toEqual([
      { kind: "expired", credits: -2, at: after(1), balance: 0 },
      { kind: "received", credits: 2, at: after(1) - 1, balance: 2 },
    ]);
  });

  test("what ends sooner is used first, of equal ends what came earlier", async () => {
    const { ada, staff } = await workshop();
    await staff.grant("Ada", 5, 5);
    await staff.grant("Ada", 4, 2);
    await staff.grant("Ada", 3, 2);
    const all = [
      { left: 4, ends: after(2) },
      { left: 3, ends: after(2) },
      { left: 5, ends: after(5) },
    ];
    expect(await ada.lefts()).toEqual(all);
    const hold = await ada.hold(6);
    expect(await ada.lefts()).toEqual([
      { left: 1, ends: after(2) },
      { left: 5, ends: after(5) },
    ]);
    await ada.release(hold);
    expect(await ada.lefts()).toEqual(all);
    await ada.capture(await ada.hold(9), 9);
    expect(await ada.lefts()).toEqual([{ left: 3, ends: after(5) }]);
  });

  test("what was sent comes to the receiver when it is sent", async () => {
    const { ada, bob, goTo, staff } = await workshop();
    await staff.grant("Ada", 3, 5);
    await goTo(START + DAY);
    await staff.grant("Bob", 4, 4);
    await goTo(START + DAY + HOUR);
    await ada.send("Bob", 3, "a");
    await goTo(START + DAY + 2 * HOUR);
    await staff.grant("Bob", 5, 4);
    expect(await bob.lefts()).toEqual([
      { left: 4, ends: after(5) },
      { left: 3, ends: after(5) },
      { left: 5, ends: after(5) },
    ]);
    await bob.hold(5);
    expect(await bob.lefts()).toEqual([
      { left: 2, ends: after(5) },
      { left: 5, ends: after(5) },
    ]);
  });

  test("what is left expires at the end, lot by lot", async () => {
    const { ada, goTo, staff } = await workshop();
    await staff.grant("Ada", 4, 2);
    await staff.grant("Ada", 3, 2);
    await staff.grant("Ada", 5, 5);
    await goTo(after(2) - 1);
    expect(await ada.entries()).toHaveLength(3);
    await goTo(after(2));
    expect(await ada.lefts()).toEqual([{ left: 5, ends: after(5) }]);
    const entries = await ada.entries();
    expect(entries).toHaveLength(5);
    expect(first(entries).balance).toBe(5);
    const expired = entries.slice(0, 2).map(({ kind, credits, at }) => ({ kind, credits, at }));
    expect(expired).toEqual(
      expect.arrayContaining([
        { kind: "expired", credits: -4, at: after(2) },
        { kind: "expired", credits: -3, at: after(2) },
      ]),
    );
    expect(await ada.month("2027-03")).toEqual({ ...NO_SUMS, granted: 12, expired: 7 });
  });

  test("a withdrawal takes what is left in the lot and not on hold", async () => {
    const { ada, goTo, staff } = await workshop();
    const lot = await staff.grant("Ada", 6, 3);
    await staff.grant("Ada", 1, 3);
    const hold = await ada.hold(2);
    await goTo(START + MINUTE);
    expect(await staff.withdraw(lot)).toBe(4);
    expect(await ada.balance()).toEqual({ available: 1, held: 2 });
    expect(await ada.lefts()).toEqual([{ left: 1, ends: after(3) }]);
    expect(first(await ada.entries())).toEqual({
      kind: "withdrawn",
      credits: -4,
      at: START + MINUTE,
      balance: 3,
    });
    await refused(staff.withdraw(lot), "nothing left");
    await ada.capture(hold, 2);
    expect(await ada.balance()).toEqual({ available: 1, held: 0 });
    expect(first(await ada.entries())).toEqual({
      kind: "spent",
      credits: -2,
      at: START + MINUTE,
      balance: 1,
    });
    await refused(staff.withdraw(lot), "nothing left");
    await goTo(after(3));
    expect(await ada.month("2027-03")).toEqual({
      ...NO_SUMS,
      granted: 7,
      spent: 2,
      expired: 1,
      withdrawn: 4,
    });
    expect(await ada.entries()).toHaveLength(5);
  });

  test("a lot that is wholly on hold cannot be withdrawn, and what goes back to it stays", async () => {
    const { ada, staff } = await workshop();
    const lot = await staff.grant("Ada", 6, 3);
    const hold = await ada.hold(6);
    await refused(staff.withdraw(lot), "nothing left");
    await ada.capture(hold, 1);
    expect(await ada.lefts()).toEqual([{ left: 5, ends: after(3) }]);
    expect(await ada.entries()).toHaveLength(2);
    expect(await staff.withdraw(lot)).toBe(5);
    expect(await ada.lefts()).toEqual([]);
  });

  test("a lot that is spent or has ended cannot be withdrawn", async () => {
    const { ada, bob, goTo, staff } = await workshop();
    const spent = await staff.grant("Ada", 3, 3);
    await ada.capture(await ada.hold(3), 3);
    await refused(staff.withdraw(spent), "nothing left");
    const sent = await staff.grant("Ada", 3, 3);
    await ada.send("Bob", 3, "a");
    await refused(staff.withdraw(sent), "nothing left");

    const ended = await staff.grant("Ada", 4, 1);
    const late = await staff.grant("Bob", 5, 1);
    await goTo(after(1) - 10 * MINUTE);
    const hold = await ada.hold(1);
    await goTo(after(1) - 1);
    expect(await staff.withdraw(late)).toBe(5);
    await goTo(after(1));
    await refused(staff.withdraw(ended), "nothing left");
    await refused(staff.withdraw(late), "nothing left");
    expect(await ada.balance()).toEqual({ available: 0, held: 1 });
    await ada.capture(hold, 1);
    expect(await bob.month("2027-03")).toEqual({
      ...NO_SUMS,
      granted: 5,
      received: 3,
      withdrawn: 5,
    });
  });

  test("what was sent is withdrawn from the receiver alone", async () => {
    const { ada, bob, staff } = await workshop();
    const lot = await staff.grant("Ada", 6, 3);
    await ada.send("Bob", 2, "a");
    expect(await staff.withdraw(lot)).toBe(4);
    expect(await bob.balance()).toEqual({ available: 2, held: 0 });
    await staff.grant("Ada", 3, 3);
    expect(await staff.withdraw(first(await bob.lots()).lot)).toBe(2);
    expect(await bob.balance()).toEqual({ available: 0, held: 0 });
    expect(await ada.balance()).toEqual({ available: 3, held: 0 });
    expect(first(await bob.entries())).toEqual({
      kind: "withdrawn",
      credits: -2,
      at: START,
      balance: 0,
    });
  });
});

describe("holds", () => {
  test("a hold is of a whole number of credits, at least one", async () => {
    const { ada, staff } = await workshop();
    await staff.grant("Ada", 5, 3);
    for (const credits of [0, -1, 0.5, 1.5]) await refused(ada.place(credits), "bad credits");
    expect(await ada.balance()).toEqual({ available: 5, held: 0 });
    expect(await ada.notices()).toEqual([]);
    await ada.hold(1);
    expect(await ada.balance()).toEqual({ available: 4, held: 1 });
  });

  test("nobody has more than three open holds", async () => {
    const { ada, bob, goTo, staff } = await workshop();
    await staff.grant("Ada", 20, 3);
    await staff.grant("Bob", 5, 3);
    const one = await ada.hold(2);
    const two = await ada.hold(3);
    expect(await ada.place(100)).toEqual({ hold: null, missing: 85 });
    await ada.hold(4);
    await refused(ada.place(1), "three holds");
    await bob.hold(1);
    await ada.release(one);
    await ada.hold(1);
    await refused(ada.place(1), "three holds");
    await ada.capture(two, 1);
    await ada.hold(1);
    await refused(ada.place(1), "three holds");
    expect(await ada.balance()).toEqual({ available: 13, held: 6 });
    expect(await ada.holds()).toHaveLength(3);

    await goTo(START + 30 * MINUTE - 1);
    await refused(ada.place(1), "three holds");
    await goTo(START + 30 * MINUTE);
    expect(await ada.holds()).toEqual([]);
    for (const credits of [1, 2, 3]) await ada.hold(credits);
    await refused(ada.place(1), "three holds");
    expect(await ada.balance()).toEqual({ available: 13, held: 6 });
  });

  test("if too few are available, nothing is held, and the member is told", async () => {
    const { ada, bob, goTo, staff } = await workshop();
    await staff.grant("Ada", 8, 3);
    await ada.hold(3);
    expect(await ada.place(7)).toEqual({ hold: null, missing: 2 });
    expect(await ada.notices()).toEqual(["missing 2"]);
    expect(await ada.balance()).toEqual({ available: 5, held: 3 });
    expect(await ada.lefts()).toEqual([{ left: 5, ends: after(3) }]);
    expect(await ada.holds()).toHaveLength(1);
    expect(await ada.entries()).toHaveLength(1);
    await goTo(START + MINUTE);
    expect(await ada.place(6)).toEqual({ hold: null, missing: 1 });
    expect(await ada.notices()).toEqual(["missing 1", "missing 2"]);
    await ada.hold(5);
    expect(await ada.balance()).toEqual({ available: 0, held: 8 });
    expect(await ada.notices()).toEqual(["missing 1", "missing 2"]);
    expect(await bob.place(4)).toEqual({ hold: null, missing: 4 });
    expect(await bob.notices()).toEqual(["missing 4"]);
  });

  test("a hold is shown to its member with its purpose, credits and end", async () => {
    const { ada, goTo, staff } = await workshop();
    await staff.grant("Ada", 5, 2);
    await staff.grant("Ada", 5, 3);
    const saw = await ada.hold(6, "saw");
    await goTo(START + MINUTE);
    const drill = await ada.hold(1, "drill");
    const holds = await ada.holds();
    expect(holds).toHaveLength(2);
    expect(holds).toEqual(
      expect.arrayContaining([
        { hold: saw, purpose: "saw", credits: 6, lapses: START + 30 * MINUTE },
        { hold: drill, purpose: "drill", credits: 1, lapses: START + 31 * MINUTE },
      ]),
    );
    await ada.release(saw);
    expect(await ada.holds()).toEqual([
      { hold: drill, purpose: "drill", credits: 1, lapses: START + 31 * MINUTE },
    ]);
  });

  test("at least one credit is captured, at most what is on hold", async () => {
    const { ada, staff } = await workshop();
    await staff.grant("Ada", 20, 3);
    const hold = await ada.hold(5);
    for (const credits of [0, -1, 0.5, 1.5]) await refused(ada.capture(hold, credits), "bad credits");
    await refused(ada.capture(hold, 6), "too much");
    expect(await ada.balance()).toEqual({ available: 15, held: 5 });
    expect(await ada.entries()).toHaveLength(1);
    await ada.capture(hold, 5);
    expect(await ada.balance()).toEqual({ available: 15, held: 0 });
    await ada.capture(await ada.hold(4), 1);
    expect(await ada.balance()).toEqual({ available: 19 - 5, held: 0 });
  });

  test("what is used first is captured, and the rest goes back to its lots", async () => {
    const { ada, bob, goTo, staff } = await workshop();
    for (const name of ["Ada", "Bob"]) {
      await staff.grant(name, 5, 5);
      await staff.grant(name, 5, 3);
    }
    const more = await ada.hold(8);
    const less = await bob.hold(8);
    expect(await ada.lefts()).toEqual([{ left: 2, ends: after(5) }]);
    await goTo(START + MINUTE);
    // What came after the hold is none of its lots.
    await staff.grant("Ada", 1, 1);
    await ada.capture(more, 6);
    expect(await ada.lefts()).toEqual([
      { left: 1, ends: after(1) },
      { left: 4, ends: after(5) },
    ]);
    expect(await ada.entries()).toHaveLength(4);
    expect(first(await ada.entries())).toEqual({
      kind: "spent",
      credits: -6,
      at: START + MINUTE,
      balance: 5,
    });
    await bob.capture(less, 3);
    expect(await bob.lefts()).toEqual([
      { left: 2, ends: after(3) },
      { left: 5, ends: after(5) },
    ]);
    expect(await bob.balance()).toEqual({ available: 7, held: 0 });
  });

  test("a hold is open for 30 minutes, and then lapses", async () => {
    const { ada, bob, goTo, staff } = await workshop();
    await staff.grant("Ada", 10, 3);
    await staff.grant("Bob", 10, 3);
    const lapsing = await ada.hold(4);
    const captured = await bob.hold(4);
    await goTo(START + 30 * MINUTE - 1);
    expect(await ada.holds()).toHaveLength(1);
    expect(await ada.balance()).toEqual({ available: 6, held: 4 });
    await bob.capture(captured, 4);
    await goTo(START + 30 * MINUTE);
    expect(await ada.holds()).toEqual([]);
    expect(await ada.balance()).toEqual({ available: 10, held: 0 });
    await refused(ada.capture(lapsing, 1), "not open");
    await refused(ada.release(lapsing), "not open");
    expect(await ada.lefts()).toEqual([{ left: 10, ends: after(3) }]);
    expect(await ada.entries()).toHaveLength(1);
    expect(await bob.balance()).toEqual({ available: 6, held: 0 });
    expect(await bob.entries()).toHaveLength(2);
  });

  test("a hold can be released until it lapses, without an entry", async () => {
    const { ada, goTo, staff } = await workshop();
    await staff.grant("Ada", 10, 3);
    const hold = await ada.hold(4);
    await goTo(START + 30 * MINUTE - 1);
    await ada.release(hold);
    expect(await ada.balance()).toEqual({ available: 10, held: 0 });
    await goTo(START + 31 * MINUTE);
    expect(await ada.balance()).toEqual({ available: 10, held: 0 });
    expect(await ada.entries()).toHaveLength(1);
  });

  test("what is captured or released is open no more, and does not lapse", async () => {
    const { ada, goTo, staff } = await workshop();
    await staff.grant("Ada", 10, 3);
    const captured = await ada.hold(4);
    const released = await ada.hold(3);
    await goTo(START + 10 * MINUTE);
    await ada.capture(captured, 1);
    await ada.release(released);
    for (const hold of [captured, released]) {
      await refused(ada.capture(hold, 1), "not open");
      await refused(ada.release(hold), "not open");
    }
    expect(await ada.balance()).toEqual({ available: 9, held: 0 });
    await goTo(START + 30 * MINUTE);
    expect(await ada.balance()).toEqual({ available: 9, held: 0 });
    expect(await ada.lefts()).toEqual([{ left: 9, ends: after(3) }]);
    expect(await ada.entries()).toHaveLength(2);
    await refused(ada.capture(captured, 1), "not open");
  });

  test("what is on hold is safe from the end, and the rest of a capture expires", async () => {
    const { ada, goTo, staff } = await workshop();
    await staff.grant("Ada", 6, 1);
    await goTo(after(1) - 10 * MINUTE);
    const whole = await ada.hold(1);
    const part = await ada.hold(3);
    await goTo(after(1));
    expect(await ada.balance()).toEqual({ available: 0, held: 4 });
    expect(first(await ada.entries())).toEqual({
      kind: "expired",
      credits: -2,
      at: after(1),
      balance: 4,
    });
    await goTo(after(1) + 5 * MINUTE);
    await ada.capture(whole, 1);
    expect(first(await ada.entries())).toEqual({
      kind: "spent",
      credits: -1,
      at: after(1) + 5 * MINUTE,
      balance: 3,
    });
    await goTo(after(1) + 6 * MINUTE);
    await ada.capture(part, 2);
    const entries = await ada.entries();
    expect(entries).toHaveLength(5);
    expect(first(entries).balance).toBe(0);
    expect(entries.slice(0, 2).map(({ kind, credits, at }) => ({ kind, credits, at }))).toEqual(
      expect.arrayContaining([
        { kind: "spent", credits: -2, at: after(1) + 6 * MINUTE },
        { kind: "expired", credits: -1, at: after(1) + 6 * MINUTE },
      ]),
    );
    await goTo(after(1) + HOUR);
    expect(await ada.balance()).toEqual({ available: 0, held: 0 });
    expect(await ada.lefts()).toEqual([]);
    expect(await ada.entries()).toHaveLength(5);
  });

  test("what lapses after the end of its lot expires at once", async () => {
    const { ada, goTo, staff } = await workshop();
    await staff.grant("Ada", 4, 1);
    await goTo(after(1) - 10 * MINUTE);
    await ada.hold(4);
    await goTo(after(1) + 20 * MINUTE - 1);
    expect(await ada.balance()).toEqual({ available: 0, held: 4 });
    expect(await ada.entries()).toHaveLength(1);
    await goTo(after(1) + 20 * MINUTE);
    expect(await ada.balance()).toEqual({ available: 0, held: 0 });
    expect(await ada.entries()).toEqual([
      { kind: "expired", credits: -4, at: after(1) + 20 * MINUTE, balance: 0 },
      { kind: "granted", credits: 4, at: START, balance: 4 },
    ]);
  });

  test("what lapses with the end of its lot expires", async () => {
    const { ada, bob, goTo, staff } = await workshop();
    await staff.grant("Ada", 4, 1);
    await staff.grant("Bob", 6, 1);
    await goTo(after(1) - 30 * MINUTE);
    await ada.hold(4);
    await bob.hold(4);
    await goTo(after(1));
    expect(await ada.entries()).toEqual([
      { kind: "expired", credits: -4, at: after(1), balance: 0 },
      { kind: "granted", credits: 4, at: START, balance: 4 },
    ]);
    expect(await bob.month("2027-03")).toEqual({ ...NO_SUMS, granted: 6, expired: 6 });
    expect(first(await bob.entries()).balance).toBe(0);
    for (const member of [ada, bob]) {
      expect(await member.lefts()).toEqual([]);
      expect(await member.balance()).toEqual({ available: 0, held: 0 });
    }
  });

  test("what goes back just before the end expires with its lot", async () => {
    const { ada, goTo, staff } = await workshop();
    await staff.grant("Ada", 4, 1);
    await goTo(after(1) - 10 * MINUTE);
    const hold = await ada.hold(4);
    await goTo(after(1) - 1);
    await ada.release(hold);
    expect(await ada.lefts()).toEqual([{ left: 4, ends: after(1) }]);
    expect(await ada.entries()).toHaveLength(1);
    await goTo(after(1));
    expect(await ada.entries()).toEqual([
      { kind: "expired", credits: -4, at: after(1), balance: 0 },
      { kind: "granted", credits: 4, at: START, balance: 4 },
    ]);
  });

  test("what goes back at the very end expires", async () => {
    const { ada, bob, goTo, staff } = await workshop();
    await staff.grant("Ada", 4, 1);
    await staff.grant("Bob", 4, 1);
    await goTo(after(1) - 10 * MINUTE);
    const released = await ada.hold(4);
    const captured = await bob.hold(4);
    await goTo(after(1));
    await ada.release(released);
    await bob.capture(captured, 3);
    expect(await ada.entries()).toEqual([
      { kind: "expired", credits: -4, at: after(1), balance: 0 },
      { kind: "granted", credits: 4, at: START, balance: 4 },
    ]);
    expect(await bob.month("2027-03")).toEqual({ ...NO_SUMS, granted: 4, spent: 3, expired: 1 });
    for (const member of [ada, bob])
      expect(await member.balance()).toEqual({ available: 0, held: 0 });
  });

  test("what goes back expires for each lot that has ended, and stays in the others", async () => {
    const { ada, goTo, staff } = await workshop();
    await staff.grant("Ada", 2, 1);
    await staff.grant("Ada", 3, 1);
    await staff.grant("Ada", 5, 3);
    await goTo(after(1) - 10 * MINUTE);
    const hold = await ada.hold(8);
    await goTo(after(1) + MINUTE);
    expect(await ada.entries()).toHaveLength(3);
    await ada.release(hold);
    const entries = await ada.entries();
    expect(entries).toHaveLength(5);
    expect(first(entries).balance).toBe(5);
    expect(entries.slice(0, 2).map(({ kind, credits, at }) => ({ kind, credits, at }))).toEqual(
      expect.arrayContaining([
        { kind: "expired", credits: -2, at: after(1) + MINUTE },
        { kind: "expired", credits: -3, at: after(1) + MINUTE },
      ]),
    );
    expect(await ada.lefts()).toEqual([{ left: 5, ends: after(3) }]);
    expect(await ada.balance()).toEqual({ available: 5, held: 0 });
  });

  test("what goes back to a withdrawn lot is withdrawn at once", async () => {
    const { ada, goTo, staff } = await workshop();
    const lot = await staff.grant("Ada", 8, 3);
    const released = await ada.hold(2);
    const captured = await ada.hold(2);
    await ada.hold(3);
    expect(await staff.withdraw(lot)).toBe(1);
    expect(await ada.balance()).toEqual({ available: 0, held: 7 });
    await goTo(START + MINUTE);
    await ada.release(released);
    expect(first(await ada.entries())).toEqual({
      kind: "withdrawn",
      credits: -2,
      at: START + MINUTE,
      balance: 5,
    });
    expect(await ada.balance()).toEqual({ available: 0, held: 5 });
    await refused(staff.withdraw(lot), "nothing left");
    await goTo(START + 2 * MINUTE);
    await ada.capture(captured, 1);
    const entries = await ada.entries();
    expect(entries).toHaveLength(5);
    expect(first(entries).balance).toBe(3);
    expect(entries.slice(0, 2).map(({ kind, credits, at }) => ({ kind, credits, at }))).toEqual(
      expect.arrayContaining([
        { kind: "spent", credits: -1, at: START + 2 * MINUTE },
        { kind: "withdrawn", credits: -1, at: START + 2 * MINUTE },
      ]),
    );
    await goTo(START + 30 * MINUTE);
    expect(first(await ada.entries())).toEqual({
      kind: "withdrawn",
      credits: -3,
      at: START + 30 * MINUTE,
      balance: 0,
    });
    expect(await ada.balance()).toEqual({ available: 0, held: 0 });
    expect(await ada.lefts()).toEqual([]);
    expect(await ada.month("2027-03")).toEqual({
      ...NO_SUMS,
      granted: 8,
      spent: 1,
      withdrawn: 7,
    });
  });

  test("what goes back is withdrawn for each withdrawn lot, and stays in the others", async () => {
    const { ada, staff } = await workshop();
    const one = await staff.grant("Ada", 3, 2);
    const two = await staff.grant("Ada", 4, 3);
    await staff.grant("Ada", 5, 4);
    await ada.capture(await ada.hold(1), 1);
    // Two credits of the first lot, and three of the second.
    const hold = await ada.hold(5);
    expect(await staff.withdraw(two)).toBe(1);
    await refused(staff.withdraw(one), "nothing left");
    await ada.release(hold);
    expect(await ada.lefts()).toEqual([
      { left: 2, ends: after(2) },
      { left: 5, ends: after(4) },
    ]);
    expect(first(await ada.entries())).toEqual({
      kind: "withdrawn",
      credits: -3,
      at: START,
      balance: 7,
    });
    expect(await ada.entries()).toHaveLength(6);
  });
});

describe("refunds", () => {
  test("what was used last goes back first, in several steps", async () => {
    const { ada, goTo, staff } = await workshop();
    await staff.grant("Ada", 5, 10);
    await staff.grant("Ada", 5, 15);
    const hold = await ada.hold(8);
    await ada.capture(hold, 8);
    expect(await ada.lefts()).toEqual([{ left: 2, ends: after(15) }]);
    await goTo(START + MINUTE);
    for (const credits of [0, -1, 0.5, 1.5])
      await refused(staff.refund(hold, credits), "bad credits");
    await refused(staff.refund(hold, 9), "too much");
    expect(await ada.lefts()).toEqual([{ left: 2, ends: after(15) }]);
    await staff.refund(hold, 2);
    expect(await ada.lefts()).toEqual([{ left: 4, ends: after(15) }]);
    await goTo(START + 2 * MINUTE);
    await staff.refund(hold, 2);
    expect(await ada.lefts()).toEqual([
      { left: 1, ends: after(10) },
      { left: 5, ends: after(15) },
    ]);
    await refused(staff.refund(hold, 5), "too much");
    await goTo(START + 3 * MINUTE);
    await staff.refund(hold, 1);
    await staff.refund(hold, 3);
    expect(await ada.lefts()).toEqual([
      { left: 5, ends: after(10) },
      { left: 5, ends: after(15) },
    ]);
    await refused(staff.refund(hold, 1), "too much");
    expect(await ada.balance()).toEqual({ available: 10, held: 0 });
    expect(await ada.entries()).toEqual([
      { kind: "refunded", credits: 3, at: START + 3 * MINUTE, balance: 10 },
      { kind: "refunded", credits: 1, at: START + 3 * MINUTE, balance: 7 },
      { kind: "refunded", credits: 2, at: START + 2 * MINUTE, balance: 6 },
      { kind: "refunded", credits: 2, at: START + MINUTE, balance: 4 },
      { kind: "spent", credits: -8, at: START, balance: 2 },
      { kind: "granted", credits: 5, at: START, balance: 10 },
      { kind: "granted", credits: 5, at: START, balance: 5 },
    ]);
  });

  test("one refund that goes back to several lots is one entry", async () => {
    const { ada, staff } = await workshop();
    await staff.grant("Ada", 5, 10);
    await staff.grant("Ada", 5, 15);
    const hold = await ada.hold(8);
    await ada.capture(hold, 8);
    await staff.refund(hold, 5);
    expect(await ada.lefts()).toEqual([
      { left: 2, ends: after(10) },
      { left: 5, ends: after(15) },
    ]);
    expect(first(await ada.entries())).toEqual({
      kind: "refunded",
      credits: 5,
      at: START,
      balance: 7,
    });
    expect(await ada.entries()).toHaveLength(4);
  });

  test("no more is refunded than was captured of a hold", async () => {
    const { ada, staff } = await workshop();
    await staff.grant("Ada", 5, 10);
    await staff.grant("Ada", 5, 15);
    const hold = await ada.hold(8);
    await ada.capture(hold, 6);
    expect(await ada.lefts()).toEqual([{ left: 4, ends: after(15) }]);
    await refused(staff.refund(hold, 7), "too much");
    await staff.refund(hold, 2);
    expect(await ada.lefts()).toEqual([
      { left: 1, ends: after(10) },
      { left: 5, ends: after(15) },
    ]);
    await refused(staff.refund(hold, 5), "too much");
    await staff.refund(hold, 4);
    await refused(staff.refund(hold, 1), "too much");
    expect(await ada.balance()).toEqual({ available: 10, held: 0 });
  });

  test("only what was captured is refunded", async () => {
    const { ada, goTo, staff } = await workshop();
    await staff.grant("Ada", 9, 3);
    const released = await ada.hold(2);
    const lapsing = await ada.hold(3);
    await refused(staff.refund(released, 1));
    await ada.release(released);
    await refused(staff.refund(released, 1));
    await goTo(START + 30 * MINUTE);
    await refused(staff.refund(lapsing, 1));
    expect(await ada.balance()).toEqual({ available: 9, held: 0 });
    expect(await ada.entries()).toHaveLength(1);
  });

  test("refunds are made for 14 days from the capture", async () => {
    const { ada, goTo, staff } = await workshop();
    await staff.grant("Ada", 5, 20);
    const hold = await ada.hold(5);
    await goTo(START + 20 * MINUTE);
    await ada.capture(hold, 5);
    const end = START + 20 * MINUTE + 14 * DAY;
    await goTo(end - 1);
    await staff.refund(hold, 3);
    expect(await ada.lefts()).toEqual([{ left: 3, ends: after(20) }]);
    expect(first(await ada.entries())).toEqual({
      kind: "refunded",
      credits: 3,
      at: end - 1,
      balance: 3,
    });
    await goTo(end);
    await refused(staff.refund(hold, 1), "too late");
    await goTo(end + DAY);
    await refused(staff.refund(hold, 1), "too late");
    expect(await ada.balance()).toEqual({ available: 3, held: 0 });
  });

  test("what has no lot any more comes as one new lot for 7 days", async () => {
    const { ada, goTo, staff } = await workshop();
    await staff.grant("Ada", 2, 1);
    await staff.grant("Ada", 3, 2);
    await staff.grant("Ada", 4, 10);
    const hold = await ada.hold(7);
    await ada.capture(hold, 7);
    const now = after(2) + 15 * HOUR;
    await goTo(now);
    await staff.refund(hold, 7);
    expect(await ada.lefts()).toEqual([
      { left: 5, ends: after(9) },
      { left: 4, ends: after(10) },
    ]);
    expect(await ada.balance()).toEqual({ available: 9, held: 0 });
    expect(await ada.entries()).toHaveLength(5);
    expect(first(await ada.entries())).toEqual({
      kind: "refunded",
      credits: 7,
      at: now,
      balance: 9,
    });

    await goTo(after(7) - 1);
    expect(await ada.notices()).toEqual([]);
    await goTo(after(7));
    expect(await ada.notices()).toEqual(["5 end soon"]);
    await goTo(after(9) - 1);
    expect(await ada.balance()).toEqual({ available: 9, held: 0 });
    await goTo(after(9));
    expect(await ada.lefts()).toEqual([{ left: 4, ends: after(10) }]);
    expect(first(await ada.entries())).toEqual({
      kind: "expired",
      credits: -5,
      at: after(9),
      balance: 4,
    });
  });

  test("steps of a refund find some lots open and others ended", async () => {
    const { ada, goTo, staff } = await workshop();
    await staff.grant("Ada", 4, 2);
    await staff.grant("Ada", 4, 10);
    const hold = await ada.hold(7);
    await ada.capture(hold, 7);
    await goTo(after(1));
    await staff.refund(hold, 4);
    expect(await ada.lefts()).toEqual([
      { left: 1, ends: after(2) },
      { left: 4, ends: after(10) },
    ]);
    await goTo(after(2) + HOUR);
    expect(await ada.lefts()).toEqual([{ left: 4, ends: after(10) }]);
    await staff.refund(hold, 2);
    expect(await ada.lefts()).toEqual([
      { left: 2, ends: after(9) },
      { left: 4, ends: after(10) },
    ]);
    await refused(staff.refund(hold, 2), "too much");
    expect((await ada.entries()).map(({ credits }) => credits)).toEqual([2, -1, 4, -7, 4, 4]);
  });

  test("a refund goes back to its lot until its end, and from then on it does not", async () => {
    const { ada, goTo, staff } = await workshop();
    await staff.grant("Ada", 5, 2);
    const hold = await ada.hold(4);
    await ada.capture(hold, 4);
    await goTo(after(2) - 1);
    await staff.refund(hold, 1);
    expect(await ada.lefts()).toEqual([{ left: 2, ends: after(2) }]);
    await goTo(after(2));
    expect(await ada.lefts()).toEqual([]);
    await staff.refund(hold, 2);
    expect(await ada.lefts()).toEqual([{ left: 2, ends: after(9) }]);
    expect(await ada.entries()).toEqual([
      { kind: "refunded", credits: 2, at: after(2), balance: 2 },
      { kind: "expired", credits: -2, at: after(2), balance: 0 },
      { kind: "refunded", credits: 1, at: after(2) - 1, balance: 2 },
      { kind: "spent", credits: -4, at: START, balance: 1 },
      { kind: "granted", credits: 5, at: START, balance: 5 },
    ]);
  });

  test("a refund on the last moment of a day counts this day", async () => {
    const { ada, goTo, staff } = await workshop();
    await staff.grant("Ada", 5, 1);
    const hold = await ada.hold(5);
    await ada.capture(hold, 5);
    await goTo(after(3) - 1);
    await staff.refund(hold, 1);
    expect(await ada.lefts()).toEqual([{ left: 1, ends: after(2 + 7) }]);
    await goTo(after(3));
    await staff.refund(hold, 1);
    expect(await ada.lefts()).toEqual([
      { left: 1, ends: after(2 + 7) },
      { left: 1, ends: after(3 + 7) },
    ]);
  });

  test("a refund does not go back to a lot that was withdrawn", async () => {
    const { ada, bob, staff } = await workshop();
    const before = await staff.grant("Ada", 5, 10);
    const used = await ada.hold(3);
    await ada.capture(used, 3);
    expect(await staff.withdraw(before)).toBe(2);
    await staff.refund(used, 3);
    expect(await ada.lefts()).toEqual([{ left: 3, ends: after(7) }]);
    expect(first(await ada.entries())).toEqual({
      kind: "refunded",
      credits: 3,
      at: START,
      balance: 3,
    });
    expect(await ada.entries()).toHaveLength(4);
    await refused(staff.withdraw(before), "nothing left");

    const meanwhile = await staff.grant("Bob", 5, 10);
    await staff.grant("Bob", 4, 12);
    const hold = await bob.hold(4);
    expect(await staff.withdraw(meanwhile)).toBe(1);
    await bob.capture(hold, 4);
    await staff.refund(hold, 4);
    expect(await bob.lefts()).toEqual([
      { left: 4, ends: after(7) },
      { left: 4, ends: after(12) },
    ]);
    expect(await bob.balance()).toEqual({ available: 8, held: 0 });
  });

  test("what was refunded can be used again", async () => {
    const { ada, bob, staff } = await workshop();
    await staff.grant("Ada", 3, 5);
    const hold = await ada.hold(3);
    await ada.capture(hold, 3);
    await staff.refund(hold, 2);
    await ada.capture(await ada.hold(1), 1);
    expect(await ada.send("Bob", 1, "a")).toBe(1);
    expect(await bob.lefts()).toEqual([{ left: 1, ends: after(5) }]);
    await staff.refund(hold, 1);
    expect(await ada.lefts()).toEqual([{ left: 1, ends: after(5) }]);
  });
});

describe("the statement", () => {
  test("each thing that moves credits is one entry, with the balance after it", async () => {
    const { ada, bob, goTo, staff } = await workshop();
    const lot = await staff.grant("Ada", 12, 5);
    const hold = await ada.hold(4);
    await goTo(START + MINUTE);
    await staff.grant("Ada", 3, 2);
    await goTo(START + 2 * MINUTE);
    await ada.capture(hold, 3);
    await ada.send("Bob", 5, "a");
    await goTo(START + 3 * MINUTE);
    await staff.refund(hold, 1);
    expect(await staff.withdraw(lot)).toBe(8);
    await goTo(START + 4 * MINUTE);
    await bob.send("Ada", 1, "a");

    const entries = [
      { kind: "received", credits: 1, at: START + 4 * MINUTE, balance: 1 },
      { kind: "withdrawn", credits: -8, at: START + 3 * MINUTE, balance: 0 },
      { kind: "refunded", credits: 1, at: START + 3 * MINUTE, balance: 8 },
      { kind: "sent", credits: -5, at: START + 2 * MINUTE, balance: 7 },
      { kind: "spent", credits: -3, at: START + 2 * MINUTE, balance: 12 },
      { kind: "granted", credits: 3, at: START + MINUTE, balance: 15 },
      { kind: "granted", credits: 12, at: START, balance: 12 },
    ];
    for (const numItems of [1, 2, 3, 50]) expect(await ada.entries(numItems)).toEqual(entries);
    expect(await bob.entries()).toEqual([
      { kind: "sent", credits: -1, at: START + 4 * MINUTE, balance: 4 },
      { kind: "received", credits: 5, at: START + 2 * MINUTE, balance: 5 },
    ]);

    await goTo(after(2));
    expect(await ada.month("2027-03")).toEqual({
      granted: 15,
      spent: 3,
      refunded: 1,
      sent: 5,
      received: 1,
      expired: 1,
      withdrawn: 8,
    });
    expect(await bob.month("2027-03")).toEqual({ ...NO_SUMS, sent: 1, received: 5, expired: 2 });
  });

  test("of one moment, the entry that was written last comes first", async () => {
    const { ada, staff } = await workshop();
    for (const credits of [2, 1, 3]) await staff.grant("Ada", credits, 3);
    expect(await ada.entries(2)).toEqual([
      { kind: "granted", credits: 3, at: START, balance: 6 },
      { kind: "granted", credits: 1, at: START, balance: 3 },
      { kind: "granted", credits: 2, at: START, balance: 2 },
    ]);
  });

  test("a hold, its release and its lapse are no entries, and what is on hold counts", async () => {
    const { ada, goTo, staff } = await workshop();
    await staff.grant("Ada", 10, 3);
    const hold = await ada.hold(6);
    await ada.hold(3);
    await staff.grant("Ada", 2, 3);
    await ada.release(hold);
    await goTo(START + 30 * MINUTE);
    await staff.grant("Ada", 1, 3);
    expect(await ada.entries()).toEqual([
      { kind: "granted", credits: 1, at: START + 30 * MINUTE, balance: 13 },
      { kind: "granted", credits: 2, at: START, balance: 12 },
      { kind: "granted", credits: 10, at: START, balance: 10 },
    ]);
  });

  test("a month is from its first midnight to its last moment, also at the end of a year", async () => {
    const year = Date.UTC(2028, 0, 1);
    vi.setSystemTime(year - 15 * HOUR);
    const { ada, bob, goTo, staff } = await workshop();
    await staff.grant("Ada", 3, 1);
    await staff.grant("Bob", 1, 3);
    await goTo(year - 1);
    await staff.grant("Ada", 4, 2);
    await goTo(year);
    await staff.grant("Ada", 5, 1);
    expect(await ada.month("2027-12")).toEqual({ ...NO_SUMS, granted: 7 });
    expect(await ada.month("2028-01")).toEqual({ ...NO_SUMS, granted: 5, expired: 3 });
    await goTo(year + DAY);
    expect(await ada.month("2027-11")).toEqual(NO_SUMS);
    expect(await ada.month("2027-12")).toEqual({ ...NO_SUMS, granted: 7 });
    expect(await ada.month("2028-01")).toEqual({ ...NO_SUMS, granted: 5, expired: 12 });
    expect(await ada.month("2028-02")).toEqual(NO_SUMS);
    expect(await ada.month("2027-01")).toEqual(NO_SUMS);
    expect(await bob.month("2027-12")).toEqual({ ...NO_SUMS, granted: 1 });
  });

  test("a month has its own number of days", async () => {
    const march = Date.UTC(2028, 2, 1);
    vi.setSystemTime(march - 15 * HOUR);
    const { ada, goTo, staff } = await workshop();
    await staff.grant("Ada", 3, 1);
    await goTo(march - 1);
    await staff.grant("Ada", 4, 20);
    await goTo(march);
    await staff.grant("Ada", 5, 20);
    expect(await ada.month("2028-02")).toEqual({ ...NO_SUMS, granted: 7 });
    expect(await ada.month("2028-03")).toEqual({ ...NO_SUMS, granted: 5, expired: 3 });
  });

  test("all other things belong to the month of their moment, too", async () => {
    const april = Date.UTC(2027, 3, 1);
    vi.setSystemTime(april - 15 * HOUR);
    const { ada, bob, goTo, staff } = await workshop();
    await staff.grant("Ada", 9, 5);
    const lot = await staff.grant("Ada", 3, 5);
    await goTo(april - 10 * MINUTE);
    const one = await ada.hold(2);
    const two = await ada.hold(2);
    await goTo(april - 1);
    await ada.capture(one, 2);
    await ada.send("Bob", 1, "a");
    await goTo(april);
    await ada.capture(two, 2);
    await ada.send("Bob", 2, "b");
    await staff.refund(one, 1);
    expect(await staff.withdraw(lot)).toBe(3);
    expect(await ada.month("2027-03")).toEqual({ ...NO_SUMS, granted: 12, spent: 2, sent: 1 });
    expect(await ada.month("2027-04")).toEqual({
      ...NO_SUMS,
      spent: 2,
      refunded: 1,
      sent: 2,
      withdrawn: 3,
    });
    expect(await bob.month("2027-03")).toEqual({ ...NO_SUMS, received: 1 });
    expect(await bob.month("2027-04")).toEqual({ ...NO_SUMS, received: 2 });
  });
});

describe("notices", () => {
  test("48 hours before the end of lots their holder is told", async () => {
    const { ada, bob, goTo, staff } = await workshop();
    await staff.grant("Ada", 10, 5);
    await staff.grant("Bob", 4, 5);
    await goTo(after(3) - 1);
    expect(await ada.notices()).toEqual([]);
    expect(await bob.notices()).toEqual([]);
    await goTo(after(3));
    expect(await ada.notices()).toEqual(["10 end soon"]);
    expect(await bob.notices()).toEqual(["4 end soon"]);
    await goTo(after(6));
    expect(await ada.notices()).toEqual(["10 end soon"]);
    expect(await bob.notices()).toEqual(["4 end soon"]);
  });

  test("there is one notice for each end", async () => {
    const { ada, goTo, staff } = await workshop();
    await staff.grant("Ada", 3, 5);
    await staff.grant("Ada", 1, 5);
    await goTo(START + DAY);
    await staff.grant("Ada", 4, 4);
    await staff.grant("Ada", 5, 5);
    await goTo(after(3));
    expect(await ada.notices()).toEqual(["8 end soon"]);
    await goTo(START + 3 * DAY);
    // Too late to be told of: it ends with those of which she was told.
    await staff.grant("Ada", 2, 2);
    expect(await ada.notices()).toEqual(["8 end soon"]);
    await goTo(after(4));
    expect(await ada.notices()).toEqual(["5 end soon", "8 end soon"]);
    await goTo(after(7));
    expect(await ada.notices()).toEqual(["5 end soon", "8 end soon"]);
  });

  test("what is on hold at that moment is not counted", async () => {
    const { ada, bob, goTo, staff } = await workshop();
    await staff.grant("Ada", 9, 4);
    await staff.grant("Bob", 3, 4);
    await goTo(after(2) - 10 * MINUTE);
    const some = await ada.hold(2);
    const all = await bob.hold(3);
    await goTo(after(2));
    expect(await ada.notices()).toEqual(["7 end soon"]);
    expect(await bob.notices()).toEqual([]);
    await goTo(after(2) + 5 * MINUTE);
    await ada.release(some);
    await bob.release(all);
    await goTo(after(5));
    expect(await ada.notices()).toEqual(["7 end soon"]);
    expect(await bob.notices()).toEqual([]);
  });

  test("what was released before that moment is counted", async () => {
    const { ada, bob, goTo, staff } = await workshop();
    await staff.grant("Ada", 9, 4);
    await staff.grant("Bob", 9, 4);
    await goTo(after(2) - 40 * MINUTE);
    await ada.hold(2);
    const hold = await bob.hold(3);
    await goTo(after(2) - 20 * MINUTE);
    await bob.capture(hold, 1);
    await goTo(after(2));
    expect(await ada.notices()).toEqual(["9 end soon"]);
    expect(await bob.notices()).toEqual(["8 end soon"]);
  });

  test("holders are told of what they have, not of what they used or sent", async () => {
    const { ada, bob, goTo, staff } = await workshop();
    await staff.grant("Ada", 9, 4);
    await ada.capture(await ada.hold(2), 2);
    await ada.send("Bob", 3, "a");
    await goTo(after(2) - 1);
    expect(await ada.notices()).toEqual([]);
    await goTo(after(2));
    expect(await ada.notices()).toEqual(["4 end soon"]);
    expect(await bob.notices()).toEqual(["3 end soon"]);
  });

  test("there is no notice if its moment had come when the lot did", async () => {
    const { ada, bob, desk, goTo, staff } = await workshop();
    const cat = desk({ subject: "cat" });
    await cat.join("Cat");
    await staff.grant("Cat", 1, 1);
    await staff.grant("Cat", 1, 2);
    await goTo(after(1) - 1);
    await staff.grant("Bob", 5, 3);
    expect(await bob.notices()).toEqual([]);
    await goTo(after(1));
    expect(await bob.notices()).toEqual(["5 end soon"]);
    await staff.grant("Ada", 6, 2);
    await bob.send("Cat", 2, "a");
    await staff.grant("Bob", 1, 2);
    for (const moment of [after(1) + 1, after(1) + HOUR, after(2), after(3)]) {
      await goTo(moment);
      expect(await ada.notices()).toEqual([]);
      expect(await bob.notices()).toEqual(["5 end soon"]);
      expect(await cat.notices()).toEqual([]);
    }
  });

  test("there is no notice where nothing is left, nor for what comes to it later", async () => {
    const { ada, bob, goTo, staff } = await workshop();
    const withdrawn = await staff.grant("Ada", 3, 4);
    await staff.withdraw(withdrawn);
    await staff.grant("Bob", 4, 4);
    await bob.capture(await bob.hold(4), 4);
    await goTo(after(2));
    expect(await ada.notices()).toEqual([]);
    expect(await bob.notices()).toEqual([]);
    await goTo(after(2) + HOUR);
    await staff.grant("Ada", 5, 2);
    await staff.grant("Bob", 5, 2);
    await goTo(after(5));
    expect(await ada.notices()).toEqual([]);
    expect(await bob.notices()).toEqual([]);
  });

  test("a lot of the same end counts when another one is gone", async () => {
    const { ada, goTo, staff } = await workshop();
    const withdrawn = await staff.grant("Ada", 3, 4);
    await staff.grant("Ada", 5, 4);
    await staff.withdraw(withdrawn);
    await goTo(after(2));
    expect(await ada.notices()).toEqual(["5 end soon"]);
  });

  test("a hold or a transfer that takes what is available below 10 gives a notice", async () => {
    const { ada, bob, goTo, staff } = await workshop();
    await staff.grant("Ada", 12, 5);
    const one = await ada.hold(2);
    expect(await ada.notices()).toEqual([]);
    const two = await ada.hold(1);
    expect(await ada.notices()).toEqual(["low"]);
    const three = await ada.hold(1);
    expect(await ada.notices()).toEqual(["low"]);
    await ada.release(two);
    await ada.release(three);
    expect(await ada.balance()).toEqual({ available: 10, held: 2 });
    await goTo(START + MINUTE);
    await ada.send("Bob", 1, "a");
    expect(await ada.notices()).toEqual(["low", "low"]);
    await ada.send("Bob", 1, "b");
    await ada.capture(one, 2);
    expect(await ada.notices()).toEqual(["low", "low"]);
    expect(await bob.notices()).toEqual([]);
    await goTo(START + 2 * MINUTE);
    expect(await ada.place(9)).toEqual({ hold: null, missing: 1 });
    expect(await ada.notices()).toEqual(["missing 1", "low", "low"]);
  });

  test("a transfer that leaves 10, or a large one, counts as well", async () => {
    const { ada, bob, staff } = await workshop();
    await staff.grant("Ada", 15, 5);
    await ada.send("Bob", 5, "a");
    expect(await ada.notices()).toEqual([]);
    await ada.send("Bob", 10, "b");
    expect(await ada.notices()).toEqual(["low"]);
    expect(await bob.balance()).toEqual({ available: 15, held: 0 });
    await bob.hold(15);
    expect(await bob.notices()).toEqual(["low"]);
  });

  test("neither an end nor a withdrawal nor a refused call makes it low", async () => {
    const { ada, bob, goTo, staff } = await workshop();
    await staff.grant("Ada", 12, 1);
    const lot = await staff.grant("Bob", 12, 2);
    await staff.withdraw(lot);
    await refused(ada.send("Bob", 13, "a"), "not enough");
    await refused(ada.send("Nobody", 5, "b"), "no such member");
    await goTo(after(1));
    expect(await ada.balance()).toEqual({ available: 0, held: 0 });
    expect(await ada.notices()).toEqual([]);
    expect(await bob.notices()).toEqual([]);
  });
});

describe("transfers", () => {
  test("a refused transfer does nothing and does not use its key up", async () => {
    const { ada, bob, staff } = await workshop();
    await staff.grant("Ada", 10, 3);
    await ada.hold(4);
    for (const credits of [0, -1, 0.5, 1.5])
      await refused(ada.send("Bob", credits, "a"), "bad credits");
    await refused(ada.send("Nobody", 1, "a"), "no such member");
    for (const name of ["Ada", "ada", "ADA"])
      await refused(ada.send(name, 1, "a"), "to yourself");
    await refused(ada.send("Bob", 7, "a"), "not enough");
    expect(await ada.balance()).toEqual({ available: 6, held: 4 });
    expect(await ada.entries()).toHaveLength(1);
    expect(await ada.notices()).toEqual(["low"]);
    expect(await bob.balance()).toEqual({ available: 0, held: 0 });
    expect(await bob.entries()).toEqual([]);

    expect(await ada.send("Bob", 6, "a")).toBe(6);
    expect(await ada.balance()).toEqual({ available: 0, held: 4 });
    expect(await bob.balance()).toEqual({ available: 6, held: 0 });
    expect(await bob.send("Ada", 1, "a")).toBe(1);
  });

  test("what is used first is sent, as one lot for each end", async () => {
    const { ada, bob, goTo, staff } = await workshop();
    await staff.grant("Ada", 4, 5);
    await staff.grant("Ada", 2, 2);
    await staff.grant("Ada", 3, 2);
    await goTo(START + MINUTE);
    expect(await ada.send("Bob", 7, "a")).toBe(7);
    expect(await bob.lefts()).toEqual([
      { left: 5, ends: after(2) },
      { left: 2, ends: after(5) },
    ]);
    expect(await ada.lefts()).toEqual([{ left: 2, ends: after(5) }]);
    expect(await bob.entries()).toEqual([
      { kind: "received", credits: 7, at: START + MINUTE, balance: 7 },
    ]);
    expect(await ada.entries()).toHaveLength(4);
    expect(first(await ada.entries())).toEqual({
      kind: "sent",
      credits: -7,
      at: START + MINUTE,
      balance: 2,
    });
    await goTo(after(2) - 1);
    expect(await bob.balance()).toEqual({ available: 7, held: 0 });
    await goTo(after(2));
    expect(await bob.lefts()).toEqual([{ left: 2, ends: after(5) }]);
    expect(await bob.entries()).toEqual([
      { kind: "expired", credits: -5, at: after(2), balance: 2 },
      { kind: "received", credits: 7, at: START + MINUTE, balance: 7 },
    ]);
    await goTo(after(5));
    expect(await bob.notices()).toEqual(["2 end soon"]);
    expect(await bob.balance()).toEqual({ available: 0, held: 0 });
    expect(first(await bob.entries())).toEqual({
      kind: "expired",
      credits: -2,
      at: after(5),
      balance: 0,
    });
  });

  test("a second transfer brings a lot of its own", async () => {
    const { ada, bob, staff } = await workshop();
    await staff.grant("Ada", 4, 5);
    await ada.send("Bob", 1, "a");
    await ada.send("Bob", 2, "b");
    const lots = await bob.lefts();
    expect(lots.reduce((sum, { left }) => sum + left, 0)).toBe(3);
    expect(lots.every(({ ends }) => ends === after(5))).toBe(true);
    expect((await bob.entries()).map(({ credits }) => credits)).toEqual([2, 1]);
  });

  test("nobody sends more than 100 credits on one day", async () => {
    const { ada, bob, desk, goTo, staff } = await workshop();
    const cat = desk({ subject: "cat" });
    await cat.join("Cat");
    await staff.grant("Ada", 500, 10);
    expect(await ada.send("Bob", 60, "a")).toBe(60);
    await refused(ada.send("Cat", 41, "b"), "too much today");
    await refused(ada.send("Bob", 41, "b"), "too much today");
    expect(await ada.send("Cat", 40, "b")).toBe(40);
    await refused(ada.send("Bob", 1, "c"), "too much today");
    expect(await bob.send("Ada", 50, "a")).toBe(50);
    await refused(ada.send("Bob", 1, "c"), "too much today");
    await goTo(after(1) - 1);
    await refused(ada.send("Bob", 1, "c"), "too much today");

    await goTo(after(1));
    expect(await ada.send("Bob", 99, "c")).toBe(99);
    await refused(ada.send("Bob", 2, "d"), "too much today");
    expect(await ada.send("Cat", 1, "d")).toBe(1);
    await goTo(after(1) + HOUR);
    await refused(ada.send("Bob", 1, "e"), "too much today");

    await goTo(after(2) + HOUR);
    await refused(ada.send("Bob", 101, "e"), "too much today");
    await goTo(after(3) - 1);
    expect(await ada.send("Bob", 100, "e")).toBe(100);
    await refused(ada.send("Bob", 1, "f"), "too much today");
    await goTo(after(3));
    expect(await ada.send("Bob", 100, "f")).toBe(100);
    expect(await ada.balance()).toEqual({ available: 150, held: 0 });
    expect(await bob.balance()).toEqual({ available: 309, held: 0 });
    expect(await cat.balance()).toEqual({ available: 41, held: 0 });
  });

  test("a second call with the same key does nothing, whatever else it says", async () => {
    const { ada, bob, desk, goTo, staff } = await workshop();
    const cat = desk({ subject: "cat" });
    await cat.join("Cat");
    await staff.grant("Ada", 120, 10);
    expect(await ada.send("Bob", 5, "a")).toBe(5);
    const again = [
      () => ada.send("Bob", 5, "a"),
      () => ada.send("Bob", 7, "a"),
      () => ada.send("Cat", 1, "a"),
      () => ada.send("Nobody", 5, "a"),
      () => ada.send("Ada", 5, "a"),
      () => ada.send("Bob", 0, "a"),
      () => ada.send("Bob", 1.5, "a"),
      () => ada.send("Bob", 101, "a"),
      () => ada.send("Bob", 1000, "a"),
    ];
    for (const call of again) expect(await call()).toBe(5);
    expect(await ada.balance()).toEqual({ available: 115, held: 0 });
    expect(await ada.entries()).toHaveLength(2);
    expect(await ada.notices()).toEqual([]);
    expect(await bob.lefts()).toEqual([{ left: 5, ends: after(10) }]);
    expect(await bob.entries()).toHaveLength(1);
    expect(await cat.entries()).toEqual([]);

    // It does not count for the day either, and is answered when nothing can be sent any more.
    expect(await ada.send("Bob", 95, "b")).toBe(95);
    expect(await ada.send("Bob", 1, "a")).toBe(5);
    await ada.hold(20);
    expect(await ada.send("Bob", 1, "b")).toBe(95);
    await goTo(START + 2 * DAY);
    expect(await ada.send("Bob", 3, "a")).toBe(5);
    expect(await ada.balance()).toEqual({ available: 20, held: 0 });
    expect(await bob.balance()).toEqual({ available: 100, held: 0 });
  });

  test("a key belongs to its sender", async () => {
    const { ada, bob, staff } = await workshop();
    await staff.grant("Ada", 20, 10);
    await staff.grant("Bob", 20, 10);
    expect(await ada.send("Bob", 5, "a")).toBe(5);
    expect(await bob.send("Ada", 2, "a")).toBe(2);
    expect(await ada.balance()).toEqual({ available: 17, held: 0 });
    expect(await bob.balance()).toEqual({ available: 23, held: 0 });
    expect(await ada.send("Bob", 5, "b")).toBe(5);
    expect(await ada.send("Bob", 4, "A")).toBe(4);
    expect(await ada.balance()).toEqual({ available: 8, held: 0 });
    expect(await bob.balance()).toEqual({ available: 32, held: 0 });
  });
});

describe("reports", () => {
  test("what is owed is by ends, the soonest first, on hold or not", async () => {
    const { ada, bob, staff } = await workshop();
    expect(await staff.owed()).toEqual([]);
    const lot = await staff.grant("Ada", 5, 4);
    await staff.grant("Ada", 6, 3);
    await staff.grant("Bob", 4, 2);
    await staff.grant("Bob", 3, 3);
    const all = [
      { ends: after(2), credits: 4 },
      { ends: after(3), credits: 9 },
      { ends: after(4), credits: 5 },
    ];
    expect(await staff.owed()).toEqual(all);
    const hold = await ada.hold(8);
    await bob.hold(1);
    expect(await staff.owed()).toEqual(all);
    expect(await staff.withdraw(lot)).toBe(3);
    expect(await staff.owed()).toEqual([
      { ends: after(2), credits: 4 },
      { ends: after(3), credits: 9 },
      { ends: after(4), credits: 2 },
    ]);
    await ada.capture(hold, 5);
    expect(await staff.owed()).toEqual([
      { ends: after(2), credits: 4 },
      { ends: after(3), credits: 4 },
    ]);
    await bob.send("Ada", 1, "a");
    expect(await staff.owed()).toEqual([
      { ends: after(2), credits: 4 },
      { ends: after(3), credits: 4 },
    ]);
    await staff.refund(hold, 2);
    expect(await staff.owed()).toEqual([
      { ends: after(2), credits: 4 },
      { ends: after(3), credits: 6 },
    ]);
  });

  test("what is on hold of a lot that has ended stands under 0", async () => {
    const { ada, bob, goTo, staff } = await workshop();
    await staff.grant("Ada", 5, 1);
    await staff.grant("Ada", 2, 3);
    await staff.grant("Bob", 4, 1);
    await goTo(after(1) - 10 * MINUTE);
    await ada.hold(6);
    const hold = await bob.hold(3);
    await goTo(after(1) - 1);
    expect(await staff.owed()).toEqual([
      { ends: after(1), credits: 9 },
      { ends: after(3), credits: 2 },
    ]);
    await goTo(after(1));
    expect(await staff.owed()).toEqual([
      { ends: 0, credits: 8 },
      { ends: after(3), credits: 2 },
    ]);
    await goTo(after(1) + MINUTE);
    await bob.capture(hold, 1);
    expect(await staff.owed()).toEqual([
      { ends: 0, credits: 5 },
      { ends: after(3), credits: 2 },
    ]);
    await goTo(after(1) + 20 * MINUTE);
    expect(await staff.owed()).toEqual([{ ends: after(3), credits: 2 }]);
    await goTo(after(3));
    expect(await staff.owed()).toEqual([]);
  });
});
