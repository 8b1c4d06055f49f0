/// <reference types="vite/client" />
import { convexTest } from "convex-test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { api } from "./_generated/api";
import schema from "./schema";

const modules = import.meta.glob("./**/*.ts");
beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

describe("counters", () => {
  test("strangers add nothing", async () => {
    const t = convexTest(schema, modules);
    await expect(t.mutation(api.counters.add, { n: 1 })).rejects.toThrow("not signed in");
  });
  test("a counter counts for a minute", async () => {
    const t = convexTest(schema, modules).withIdentity({ subject: "ada" });
    await t.mutation(api.counters.add, { n: 2 });
    expect(await t.query(api.counters.sum)).toBe(2);
    await t.finishAllScheduledFunctions(vi.runAllTimers);
    expect(await t.query(api.counters.sum)).toBe(0);
  });
});
