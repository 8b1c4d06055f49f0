// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";

export const role = v.union(
  v.literal("owner"),
  v.literal("admin"),
  v.literal("member"),
  v.literal("guest"),
);

export type Role = Infer<typeof role>;

const RANKS: Record<Role, number> = { owner: 3, admin: 2, member: 1, guest: 0 };

export function isAtLeast(actual: Role, needed: Role): boolean {
  return RANKS[actual] >= RANKS[needed];
}

/** Guests are free; everybody else takes a seat. */
export function takesSeat(actual: Role): boolean {
  return actual !== "guest";
}
