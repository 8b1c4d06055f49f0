// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/// <reference types="vite/client" />
import { convexTest } from "convex-test";
import { expect } from "vitest";
import schema from "./schema";

export function archers() {
  const club = convexTest(schema, import.meta.glob(["./**/*.ts", "!./**/*.test.ts"]));
  const [first, second] = ["one", "two"].map((subject) => club.withIdentity({ subject }));
  if (!first || !second) throw new Error("two archers were named");
  return { club, first, second };
}

export async function expectRefusal(call: () => Promise<unknown>, data: string) {
  await expect(call).rejects.toThrow(expect.objectContaining({ data }));
}
