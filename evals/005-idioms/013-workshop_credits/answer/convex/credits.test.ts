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
const MARCH = Date.UTC(2027, 2, 1);
const START = MARCH + 10 * DAY;

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(START + 10 * HOUR);
});

afterEach(() => {
  vi.useRealTimers();
});

async function workshop() {
  const t = convexTest(schema, modules);
  const as = (subject: string, role?: string, issuer = "https://shop.test") =>
    t.withIdentity({ subject, issuer, ...(role === undefined ? {} : { role }) });
  const shop = { t, as, staff: as("sam", "staff"), ada: as("ada"), bo: as("bo"), cy: as("cy") };
  await shop.ada.mutation(api.people.join, { name: "Ada" });
  await shop.bo.mutation(api.people.join, { name: "Bo" });
  await shop.cy.mutation(api.people.join, { name: "Cy" });
  return shop;
}

type Shop = Awaited<ReturnType<typeof workshop>>;
type Person = Shop["ada"];

async function refusal(call: Promise<unknown>) {
  const error: unknown = await call.then(
    () => expect.fail("the call was not refused"),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConvexError);
  return (error as ConvexError<string>).data;
}

async function goTo({ t }: Shop, moment: number) {
  while (Date.now() < moment) {
    vi.advanceTimersByTime(Math.min(12 * HOUR, moment - Date.now()));
    await t.finishInProgressScheduledFunctions();
  }
}

async function grant({ staff }: Shop, to: string, credits: number, days = 10) {
  return await staff.mutation(api.lots.grant, { to, credits, days });
}

async function place(person: Person, credits: number) {
  const { hold, missing } = await person.mutation(api.holds.place, { credits, purpose: "saw" });
  expect(missing).toBe(0);
  return hold as Id<"holds">;
}

async function capture(person: Person, hold: Id<"holds">, credits: number) {
  await person.mutation(api.holds.capture, { hold, credits });
}

async function refund({ staff }: Shop, hold: Id<"holds">, credits: number) {
  await staff.mutation(api.holds.refund, { hold, credits });
}

async function send(person: Person, to: string, credits: number, key: string) {
  return await person.mutation(api.transfers.send, { to, credits, key });
}

async function balance(person: Person) {
  const { available, held } = await person.query(api.lots.balance, {});
  return [available, held];
}

/** What is left in the lots, in their order. */
async function left(person: Person) {
  return (await person.query(api.lots.mine, {})).map((lot) => lot.left);
}

async function ends(person: Person) {
  return (await person.query(api.lots.mine, {})).map((lot) => (lot.ends - START) / DAY);
}

async function told(person: Person) {
  return await person.query(api.notices.mine, {});
}

async function entries(person: Person, numItems = 100) {
  const rows: string[] = [];
  for (let cursor: string | null = null, isDone = false; !isDone; ) {
    const paginationOpts = { numItems, cursor };
    const result: Awaited<ReturnType<typeof pageOf>> = await pageOf(person, paginationOpts);
    for (const { kind, credits, balance: after } of result.page) rows.push(`${kind} ${credits} ${after}`);
    cursor = result.continueCursor;
    isDone = result.isDone;
  }
  return rows;
}

async function pageOf(person: Person, paginationOpts: { numItems: number; cursor: string | null }) {
  return await person.query(api.statement.page, { paginationOpts });
}

async function month(person: Person, of: string) {
  const sums = await person.query(api.statement.month, { month: of });
  return Object.fromEntries(Object.entries(sums).filter(([, credits]) => credits !== 0));
}

async function owed({ staff }: Shop) {
  const rows = await staff.query(api.reports.owed, {});
  return rows.map((row) => [row.ends === 0 ? 0 : (row.ends - START) / DAY, row.credits]);
}

describe("people", () => {
  test("join once, with a name of their own", async () => {
    const shop = await workshop();
    const { as, t, ada } = shop;
    expect(await refusal(t.mutation(api.people.join, { name: "x" }))).toBe("not signed in");
    expect(await refusal(ada.mutation(api.people.join, { name: "Other" }))).toBe("joined already");
    expect(await refusal(as("new").mutation(api.people.join, { name: "aDA" }))).toBe("name taken");
    expect(await refusal(as("new").query(api.lots.balance, {}))).toBe("not a member");
    const other = as("ada", undefined, "https://other.test");
    expect(await refusal(other.query(api.lots.balance, {}))).toBe("not a member");
    await other.mutation(api.people.join, { name: "Else" });
    await grant(shop, "aDa", 5);
    expect(await balance(ada)).toEqual([5, 0]);
    expect(await balance(other)).toEqual([0, 0]);
  });

  test("staff alone grant, withdraw, refund and see what is owed", async () => {
    const shop = await workshop();
    const { ada, staff } = shop;
    const lot = await grant(shop, "ada", 20);
    const hold = await place(ada, 3);
    await capture(ada, hold, 3);
    const calls = [
      ada.mutation(api.lots.grant, { to: "ada", credits: 1, days: 1 }),
      ada.mutation(api.lots.withdraw, { lot }),
      ada.mutation(api.holds.refund, { hold, credits: 1 }),
      ada.query(api.reports.owed, {}),
    ];
    for (const call of calls) expect(await refusal(call)).toBe("not allowed");
    const open = await place(ada, 3);
    for (const person of [shop.bo, staff]) {
      const call = person.mutation(api.holds.release, { hold: open });
      expect(await refusal(call)).toBe(person === staff ? "not a member" : "not found");
      expect(await refusal(person.mutation(api.holds.capture, { hold: open, credits: 1 }))).toMatch(/not/);
    }
    expect(await shop.bo.query(api.holds.mine, {})).toEqual([]);
    expect(await balance(ada)).toEqual([14, 3]);
  });
});

describe("lots", () => {
  test("are granted within limits", async () => {
    const shop = await workshop();
    for (const credits of [0, -1, 1.5])
      expect(await refusal(grant(shop, "ada", credits))).toBe("bad credits");
    for (const days of [0, 21, 1.5])
      expect(await refusal(grant(shop, "ada", 1, days))).toBe("bad days");
    expect(await refusal(grant(shop, "nobody", 1))).toBe("no such member");
    await grant(shop, "ada", 1, 1);
    await grant(shop, "ada", 1, 20);
    expect(await ends(shop.ada)).toEqual([1, 20]);
    expect(await entries(shop.ada)).toEqual(["granted 1 2", "granted 1 1"]);
  });

  test("are used by their ends, and of one end by their coming", async () => {
    const shop = await workshop();
    await grant(shop, "ada", 5, 9);
    await grant(shop, "ada", 6, 9);
    await grant(shop, "ada", 7, 3);
    expect(await left(shop.ada)).toEqual([7, 5, 6]);
    await place(shop.ada, 8);
    expect(await left(shop.ada)).toEqual([4, 6]);
  });

  test("expire at the midnight of their end", async () => {
    const shop = await workshop();
    const lot = await grant(shop, "ada", 12, 3);
    await goTo(shop, START + 3 * DAY - 1);
    expect(await balance(shop.ada)).toEqual([12, 0]);
    await goTo(shop, START + 3 * DAY);
    expect(await balance(shop.ada)).toEqual([0, 0]);
    expect(await left(shop.ada)).toEqual([]);
    expect(await entries(shop.ada)).toEqual(["expired -12 0", "granted 12 12"]);
    expect(await refusal(send(shop.ada, "Bo", 1, "k"))).toBe("not enough");
    expect(await refusal(shop.staff.mutation(api.lots.withdraw, { lot }))).toBe("nothing left");
  });

  test("are withdrawn but for what is on hold", async () => {
    const shop = await workshop();
    const lot = await grant(shop, "ada", 12);
    const hold = await place(shop.ada, 4);
    expect(await shop.staff.mutation(api.lots.withdraw, { lot })).toBe(8);
    expect(await refusal(shop.staff.mutation(api.lots.withdraw, { lot }))).toBe("nothing left");
    expect(await balance(shop.ada)).toEqual([0, 4]);
    expect(await owed(shop)).toEqual([[10, 4]]);
    await capture(shop.ada, hold, 3);
    expect(await balance(shop.ada)).toEqual([0, 0]);
    const rows = ["withdrawn -1 0", "spent -3 1", "withdrawn -8 4", "granted 12 12"];
    expect(await entries(shop.ada)).toEqual(rows);
    await refund(shop, hold, 2);
    expect(await balance(shop.ada)).toEqual([2, 0]);
    expect(await ends(shop.ada)).toEqual([7]);
  });

  test("that are wholly on hold are not withdrawn", async () => {
    const shop = await workshop();
    const lot = await grant(shop, "ada", 4);
    const hold = await place(shop.ada, 4);
    expect(await refusal(shop.staff.mutation(api.lots.withdraw, { lot }))).toBe("nothing left");
    await shop.ada.mutation(api.holds.release, { hold });
    expect(await balance(shop.ada)).toEqual([4, 0]);
  });
});

describe("holds", () => {
  test("that are too large change nothing but the notices", async () => {
    const shop = await workshop();
    await grant(shop, "ada", 12);
    await place(shop.ada, 1);
    const tooMuch = { credits: 14, purpose: "x" };
    expect(await shop.ada.mutation(api.holds.place, tooMuch)).toEqual({ hold: null, missing: 3 });
    expect(await told(shop.ada)).toEqual(["missing 3"]);
    expect(await balance(shop.ada)).toEqual([11, 1]);
    expect(await shop.ada.query(api.holds.mine, {})).toHaveLength(1);
    for (const credits of [0, -2, 0.5])
      expect(await refusal(shop.ada.mutation(api.holds.place, { credits, purpose: "x" }))).toBe(
        "bad credits",
      );
  });

  test("are at most three at a time", async () => {
    const shop = await workshop();
    await grant(shop, "ada", 50);
    const first = await place(shop.ada, 1);
    await place(shop.ada, 1);
    await place(shop.ada, 1);
    const fourth = { credits: 1, purpose: "x" };
    expect(await refusal(shop.ada.mutation(api.holds.place, fourth))).toBe("three holds");
    await capture(shop.ada, first, 1);
    const next = await place(shop.ada, 1);
    await shop.ada.mutation(api.holds.release, { hold: next });
    await place(shop.ada, 1);
    expect(await refusal(shop.ada.mutation(api.holds.place, fourth))).toBe("three holds");
    await goTo(shop, Date.now() + 30 * MINUTE);
    await place(shop.ada, 1);
  });

  test("spend what is used first, and give the rest back", async () => {
    const shop = await workshop();
    await grant(shop, "ada", 5, 3);
    await grant(shop, "ada", 5, 9);
    const hold = await place(shop.ada, 8);
    expect(await refusal(capture(shop.ada, hold, 9))).toBe("too much");
    expect(await refusal(capture(shop.ada, hold, 0))).toBe("bad credits");
    await capture(shop.ada, hold, 4);
    expect(await left(shop.ada)).toEqual([1, 5]);
    expect(await refusal(capture(shop.ada, hold, 1))).toBe("not open");
    expect(await refusal(shop.ada.mutation(api.holds.release, { hold }))).toBe("not open");
    await goTo(shop, Date.now() + HOUR);
    expect(await left(shop.ada)).toEqual([1, 5]);
    expect((await entries(shop.ada))[0]).toBe("spent -4 6");
  });

  test("lapse after half an hour", async () => {
    const shop = await workshop();
    await grant(shop, "ada", 5);
    const start = Date.now();
    const early = await place(shop.ada, 2);
    const late = await place(shop.ada, 2);
    await goTo(shop, start + 30 * MINUTE - 1);
    expect(await balance(shop.ada)).toEqual([1, 4]);
    await capture(shop.ada, early, 2);
    await goTo(shop, start + 30 * MINUTE);
    expect(await balance(shop.ada)).toEqual([3, 0]);
    expect(await refusal(capture(shop.ada, late, 1))).toBe("not open");
  });

  test("are safe from the end of their lots, and what goes back expires", async () => {
    const shop = await workshop();
    await grant(shop, "ada", 9, 1);
    await goTo(shop, START + DAY - 10 * MINUTE);
    const captured = await place(shop.ada, 4);
    const lapsing = await place(shop.ada, 3);
    await goTo(shop, START + DAY);
    expect(await balance(shop.ada)).toEqual([0, 7]);
    expect(await owed(shop)).toEqual([[0, 7]]);
    expect((await entries(shop.ada))[0]).toBe("expired -2 7");
    await capture(shop.ada, captured, 3);
    expect((await entries(shop.ada)).slice(0, 2)).toEqual(["expired -1 3", "spent -3 4"]);
    await goTo(shop, START + DAY + 20 * MINUTE);
    expect((await entries(shop.ada))[0]).toBe("expired -3 0");
    expect(await balance(shop.ada)).toEqual([0, 0]);
    expect(await refusal(shop.ada.mutation(api.holds.release, { hold: lapsing }))).toBe("not open");
    await refund(shop, captured, 2);
    expect(await ends(shop.ada)).toEqual([8]);
    expect(await owed(shop)).toEqual([[8, 2]]);
  });

  test("go back to each of their lots as it is by then", async () => {
    const shop = await workshop();
    await grant(shop, "ada", 3, 1);
    await grant(shop, "ada", 8, 12);
    await goTo(shop, START + DAY - 10 * MINUTE);
    const released = await place(shop.ada, 2);
    const captured = await place(shop.ada, 6);
    await goTo(shop, START + DAY);
    await shop.ada.mutation(api.holds.release, { hold: released });
    expect(await left(shop.ada)).toEqual([3]);
    expect((await entries(shop.ada))[0]).toBe("expired -2 9");
    await capture(shop.ada, captured, 6);
    await refund(shop, captured, 3);
    expect(await left(shop.ada)).toEqual([6]);
    await refund(shop, captured, 3);
    expect(await left(shop.ada)).toEqual([1, 8]);
    expect(await ends(shop.ada)).toEqual([8, 12]);
    expect((await entries(shop.ada))[0]).toBe("refunded 3 9");
  });

  test("are refunded in steps, what was used last first", async () => {
    const shop = await workshop();
    await grant(shop, "ada", 5, 12);
    await grant(shop, "ada", 5, 15);
    await grant(shop, "ada", 5, 18);
    const hold = await place(shop.ada, 15);
    await capture(shop.ada, hold, 12);
    expect(await left(shop.ada)).toEqual([3]);
    await refund(shop, hold, 3);
    expect(await left(shop.ada)).toEqual([1, 5]);
    await refund(shop, hold, 5);
    expect(await left(shop.ada)).toEqual([1, 5, 5]);
    expect(await refusal(refund(shop, hold, 5))).toBe("too much");
    expect(await refusal(refund(shop, hold, -1))).toBe("bad credits");
    expect(await refusal(refund(shop, hold, 0))).toBe("bad credits");
    await refund(shop, hold, 4);
    expect(await left(shop.ada)).toEqual([5, 5, 5]);
    expect((await entries(shop.ada))[0]).toBe("refunded 4 15");
    expect(await refusal(refund(shop, hold, 1))).toBe("too much");
  });

  test("are refunded for 14 days from the capture", async () => {
    const shop = await workshop();
    await grant(shop, "ada", 5, 20);
    const hold = await place(shop.ada, 5);
    await goTo(shop, Date.now() + 20 * MINUTE);
    await capture(shop.ada, hold, 5);
    const end = Date.now() + 14 * DAY;
    await goTo(shop, end - 1);
    await refund(shop, hold, 1);
    await goTo(shop, end);
    expect(await refusal(refund(shop, hold, 1))).toBe("too late");
    expect(await balance(shop.ada)).toEqual([1, 0]);
  });

  test("that were released are not refunded", async () => {
    const shop = await workshop();
    await grant(shop, "ada", 5);
    const hold = await place(shop.ada, 5);
    await shop.ada.mutation(api.holds.release, { hold });
    expect(await refusal(refund(shop, hold, 1))).toBe("not found");
  });
});

describe("transfers", () => {
  test("keep their ends", async () => {
    const shop = await workshop();
    await grant(shop, "ada", 5, 3);
    await grant(shop, "ada", 2, 5);
    await grant(shop, "ada", 5, 5);
    await grant(shop, "bo", 1, 5);
    expect(await send(shop.ada, "bO", 9, "k")).toBe(9);
    expect(await left(shop.bo)).toEqual([5, 1, 4]);
    expect(await ends(shop.bo)).toEqual([3, 5, 5]);
    expect(await left(shop.ada)).toEqual([3]);
    expect((await entries(shop.ada))[0]).toBe("sent -9 3");
    expect((await entries(shop.bo))[0]).toBe("received 9 10");
    await goTo(shop, START + 3 * DAY);
    expect(await left(shop.bo)).toEqual([1, 4]);
  });

  test("are refused", async () => {
    const shop = await workshop();
    await grant(shop, "ada", 20);
    await place(shop.ada, 5);
    expect(await refusal(send(shop.ada, "ADA", 1, "a"))).toBe("to yourself");
    expect(await refusal(send(shop.ada, "nobody", 1, "b"))).toBe("no such member");
    expect(await refusal(send(shop.ada, "bo", 16, "c"))).toBe("not enough");
    for (const credits of [0, 1.5, -3])
      expect(await refusal(send(shop.ada, "bo", credits, "d"))).toBe("bad credits");
    expect(await send(shop.ada, "bo", 15, "c")).toBe(15);
    expect((await entries(shop.ada))[0]).toBe("sent -15 5");
    await grant(shop, "ada", 2);
    expect((await entries(shop.ada))[0]).toBe("granted 2 7");
  });

  test("are made once for each key of a sender", async () => {
    const shop = await workshop();
    await grant(shop, "ada", 6);
    await grant(shop, "cy", 6);
    await send(shop.ada, "bo", 5, "k");
    expect(await send(shop.ada, "cy", 4, "k")).toBe(5);
    expect(await send(shop.ada, "ada", 0, "k")).toBe(5);
    expect(await send(shop.cy, "bo", 2, "k")).toBe(2);
    expect(await balance(shop.ada)).toEqual([1, 0]);
    expect(await balance(shop.bo)).toEqual([7, 0]);
    expect(await entries(shop.ada)).toHaveLength(2);
  });

  test("are at most a hundred credits a day", async () => {
    const shop = await workshop();
    await grant(shop, "ada", 300);
    await goTo(shop, START + 20 * HOUR);
    await send(shop.ada, "bo", 60, "a");
    expect(await refusal(send(shop.ada, "bo", 41, "b"))).toBe("too much today");
    expect(await send(shop.ada, "bo", 60, "a")).toBe(60);
    await send(shop.ada, "bo", 40, "b");
    await send(shop.bo, "cy", 100, "back");
    await goTo(shop, START + DAY - 1);
    expect(await refusal(send(shop.ada, "bo", 1, "c"))).toBe("too much today");
    await goTo(shop, START + DAY);
    await send(shop.ada, "bo", 100, "c");
    expect(await balance(shop.ada)).toEqual([100, 0]);
  });
});

describe("statement", () => {
  test("comes in pages, the newest first", async () => {
    const shop = await workshop();
    for (const credits of [1, 2, 3, 4, 5]) await grant(shop, "ada", credits);
    await goTo(shop, Date.now() + HOUR);
    await send(shop.ada, "bo", 1, "k");
    const rows = ["sent -1 14", "granted 5 15", "granted 4 10", "granted 3 6", "granted 2 3", "granted 1 1"];
    expect(await entries(shop.ada, 2)).toEqual(rows);
    expect(await entries(shop.ada, 4)).toEqual(rows);
    const first = await pageOf(shop.ada, { numItems: 1, cursor: null });
    expect(first.page[0]?.at).toBe(Date.now());
    expect(await refusal(shop.t.query(api.statement.month, { month: "2027-03" }))).toBe("not signed in");
  });

  test("has each entry at its moment", async () => {
    const shop = await workshop();
    const midnight = MARCH + 31 * DAY;
    await goTo(shop, midnight - 10 * MINUTE);
    await grant(shop, "ada", 9, 1);
    const hold = await place(shop.ada, 4);
    await place(shop.ada, 3);
    await goTo(shop, midnight + 5 * MINUTE);
    await capture(shop.ada, hold, 3);
    expect(await month(shop.ada, "2027-03")).toEqual({ granted: 9 });
    expect(await month(shop.ada, "2027-04")).toEqual({ spent: 3, expired: 3 });
    await goTo(shop, midnight + HOUR);
    const { page } = await pageOf(shop.ada, { numItems: 9, cursor: null });
    const rows = page.map(({ kind, credits, at }) => [kind, credits, (at - midnight) / MINUTE]);
    expect(rows).toEqual([
      ["expired", -3, 20],
      ["expired", -1, 5],
      ["spent", -3, 5],
      ["expired", -2, 0],
      ["granted", 9, -10],
    ]);
  });

  test("has sums of months", async () => {
    const shop = await workshop();
    await goTo(shop, MARCH + 30 * DAY);
    await grant(shop, "ada", 9, 1);
    await grant(shop, "ada", 20, 5);
    const lot = await grant(shop, "ada", 4, 6);
    const hold = await place(shop.ada, 3);
    await capture(shop.ada, hold, 3);
    await refund(shop, hold, 1);
    await send(shop.ada, "bo", 2, "k");
    await goTo(shop, MARCH + 31 * DAY);
    await shop.staff.mutation(api.lots.withdraw, { lot });
    const march = { granted: 33, spent: 3, refunded: 1, sent: 2 };
    expect(await month(shop.ada, "2027-03")).toEqual(march);
    expect(await month(shop.ada, "2027-04")).toEqual({ expired: 5, withdrawn: 4 });
    expect(await month(shop.bo, "2027-03")).toEqual({ received: 2 });
    expect(await month(shop.bo, "2027-04")).toEqual({ expired: 2 });
    expect(await month(shop.ada, "2027-02")).toEqual({});
  });
});

describe("notices", () => {
  test("tell of an end 48 hours before, once for all its lots", async () => {
    const shop = await workshop();
    await grant(shop, "ada", 7, 5);
    await grant(shop, "ada", 8, 5);
    await grant(shop, "ada", 6, 2);
    await grant(shop, "bo", 6, 3);
    const moment = START + 3 * DAY;
    await goTo(shop, START + DAY);
    expect(await told(shop.bo)).toEqual(["6 end soon"]);
    await goTo(shop, moment - 10 * MINUTE);
    expect(await told(shop.ada)).toEqual([]);
    await place(shop.ada, 3);
    await goTo(shop, moment - 1);
    expect(await told(shop.ada)).toEqual([]);
    await goTo(shop, moment);
    expect(await told(shop.ada)).toEqual(["12 end soon"]);
    await goTo(shop, START + 6 * DAY);
    expect(await told(shop.ada)).toEqual(["12 end soon"]);
  });

  test("tell of nothing where nothing is left", async () => {
    const shop = await workshop();
    await grant(shop, "ada", 20, 5);
    await send(shop.ada, "bo", 20, "k");
    await goTo(shop, START + 4 * DAY);
    await grant(shop, "bo", 1, 1);
    expect(await told(shop.ada)).toEqual(["low"]);
    expect(await told(shop.bo)).toEqual(["20 end soon"]);
  });

  test("tell when little is available", async () => {
    const shop = await workshop();
    await grant(shop, "ada", 12);
    const hold = await place(shop.ada, 2);
    expect(await told(shop.ada)).toEqual([]);
    await place(shop.ada, 1);
    expect(await told(shop.ada)).toEqual(["low"]);
    await send(shop.ada, "bo", 1, "k");
    expect(await told(shop.ada)).toEqual(["low"]);
    await capture(shop.ada, hold, 2);
    await grant(shop, "ada", 5);
    await send(shop.ada, "bo", 5, "l");
    expect(await told(shop.ada)).toEqual(["low", "low"]);
    expect(await told(shop.bo)).toEqual([]);
  });
});

test("what we owe is told by its ends", async () => {
  const shop = await workshop();
  await grant(shop, "ada", 5, 3);
  await grant(shop, "bo", 6, 3);
  await grant(shop, "bo", 7, 1);
  await place(shop.ada, 2);
  expect(await owed(shop)).toEqual([
    [1, 7],
    [3, 11],
  ]);
});
