import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { api, responseClient } from "../../../grader";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: new Date("2030-01-01") }));
afterEach(() => void vi.useRealTimers());

const at = Date.UTC(2030, 0, 2);
const isOver = () => responseClient.query(api.index.isOver, { at, now: Date.now() });

test("a day passes", async () => {
  expect(await isOver()).toBe(false);
  vi.setSystemTime(new Date("2030-01-02"));
  expect(await isOver()).toBe(true);
});

test("timers and functions can be replaced", () => {
  vi.useFakeTimers();
  const called = vi.fn();
  setTimeout(called, 1000);
  vi.advanceTimersByTime(1000);
  expect(called).toHaveBeenCalledOnce();
});
