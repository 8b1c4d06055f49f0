// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { convexTest } from "convex-test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { api } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import schema from "./schema";

const H = 3_600_000;
const D = 24 * H;
const start = Date.parse("2027-06-07T00:00:00Z"); // a Monday

const newTest = () => convexTest(schema);
let t: ReturnType<typeof newTest>;
let zone: Id<"zones">;

beforeEach(async () => {
  vi.useFakeTimers({ now: start + 8 * H });
  t = newTest();
  zone = await user("boss", "staff").mutation(api.zones.open, { name: "A", places: 1, fee: 333 });
});
afterEach(() => void vi.useRealTimers());

function user(name: string, role = "visitor", issuer = "https://one.example") {
  return t.withIdentity({ subject: name, issuer, tokenIdentifier: `${issuer}|${name}`, role });
}

const resize = (places: number, fee = 333) =>
  user("boss", "staff").mutation(api.zones.change, { zone, places, fee });
const buy = (name: string, plate: string, days: number) =>
  user(name).mutation(api.permits.buy, { zone, plate, days });
const extend = (name: string, permit: Id<"permits">, days: number) =>
  user(name).mutation(api.permits.extend, { permit, days });
const cancel = (name: string, permit: Id<"permits">, role?: string) =>
  user(name, role).mutation(api.permits.cancel, { permit });
const join = (name: string) => user(name).mutation(api.line.join, { zone });
const offer = async (name: string) => (await user(name).query(api.line.mine, {}))[0]?.offerEnds;
const notices = async (name: string) =>
  (await user(name).query(api.notices.mine, {})).map((notice) => notice.kind);
const valid = (plate: string) =>
  user("w", "warden").query(api.permits.check, { zone, plate });
const price = async (name: string) => (await user(name).query(api.permits.mine, {}))[0]?.paid;

/** Jumps to a time after the start in one step. */
async function jump(hours: number, ms = 0) {
  vi.advanceTimersByTime(start + hours * H + ms - Date.now());
  await t.finishInProgressScheduledFunctions();
}

it("who does what", async () => {
  await resize(5);
  const permit = await buy("ann", "x-1", 2);
  for (const thief of [user("ann", "visitor", "https://two.example"), user("boss", "staff")]) {
    await expect(thief.mutation(api.permits.cancel, { permit })).rejects.toThrow("not found");
    await expect(thief.mutation(api.permits.extend, { permit, days: 1 })).rejects.toThrow();
    await expect(thief.mutation(api.permits.move, { permit, plate: "y" })).rejects.toThrow();
    await expect(thief.query(api.permits.mine, {})).resolves.toEqual([]);
  }
  await expect(user("ann").query(api.permits.check, { zone, plate: "x1" })).rejects.toMatchObject({
    data: "not allowed",
  });
  await expect(t.query(api.permits.mine, {})).rejects.toThrow("not signed in");
});

it("plates and ends", async () => {
  await resize(5);
  const permit = await buy("ann", "x-1", 1);
  await user("ann").mutation(api.permits.move, { permit, plate: "k l-22" });
  expect([await valid("KL22"), await valid("x1")]).toEqual([true, false]);
  await expect(buy("bob", "kl22", 1)).rejects.toThrow("plate has permit");
  await buy("ann", "z", 2);
  await expect(buy("ann", "q", 1)).rejects.toThrow("two permits");
  await jump(24, -1);
  expect(await valid("KL22")).toBe(true);
  await jump(24);
  expect(await valid("KL22")).toBe(false);
  await buy("ann", "q", 1);
});

it("prices", async () => {
  await resize(9);
  await jump(5 * 24 + 1);
  const permit = await buy("ann", "w", 2);
  expect(await price("ann")).toBe(333);
  await extend("ann", permit, 5);
  expect(await price("ann")).toBe(333 + 5 * 333);
  await resize(9, 100);
  await extend("ann", permit, 1);
  expect(await price("ann")).toBe(333 + 5 * 333 + 50);
  await buy("bob", "v", 7);
  expect(await price("bob")).toBe(540);
});

it("refunds", async () => {
  await resize(9, 100);
  const takings = (day: string) => user("boss", "staff").query(api.reports.takings, { day });
  const first = await buy("ann", "a", 2);
  await jump(9, -1);
  expect(await cancel("ann", first)).toBe(200);
  expect(await takings("2027-06-07")).toBe(0);
  const second = await buy("ann", "b", 2);
  await jump(9.5);
  await extend("ann", second, 1);
  await jump(10, -1);
  expect(await cancel("ann", second)).toBe(200);
  const third = await buy("ann", "c", 3);
  await jump(24);
  expect(await cancel("ann", third)).toBe(100);
  expect([await takings("2027-06-07"), await takings("2027-06-08")]).toEqual([400, -100]);
});

it("the line", async () => {
  const permit = await buy("ann", "a", 1);
  for (const name of ["bob", "cat", "dan"]) await join(name);
  await cancel("ann", permit);
  expect([await offer("bob"), await offer("cat")]).toEqual([start + 32 * H, null]);
  await expect(buy("cat", "c", 1)).rejects.toThrow("zone full");
  await user("bob").mutation(api.line.leave, { zone });
  expect([await offer("cat"), await offer("dan")]).toEqual([start + 32 * H, null]);
  // Two ends of offers are passed at once.
  await jump(8 + 49);
  expect([await offer("cat"), await offer("dan")]).toEqual([undefined, undefined]);
  expect(await notices("dan")).toEqual(["offer"]);
  await buy("eve", "e", 1);
});

it("more and fewer places", async () => {
  await resize(2);
  const [first, second] = [await buy("ann", "a", 5), await buy("ann", "b", 5)];
  for (const name of ["bob", "cat"]) await join(name);
  await resize(1);
  await cancel("ann", first);
  expect(await offer("bob")).toBeNull();
  await cancel("ann", second);
  expect([await offer("bob"), await offer("cat")]).toEqual([start + 32 * H, null]);
  await resize(2);
  expect(await offer("cat")).toBe(start + 32 * H);
});

it("notices", async () => {
  const permit = await buy("ann", "a", 1);
  await extend("ann", permit, 1);
  await jump(35);
  expect(await notices("ann")).toEqual([]);
  await jump(49);
  expect(await notices("ann")).toEqual(["ended", "ends soon"]);
});
