// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Infer } from "convex/values";
import type { role } from "../schema";

export type Role = Infer<typeof role>;

/** The roles that each role may give to others, and take from them. */
const GIVES: Record<Role, readonly Role[]> = {
  owner: ["owner", "admin", "member", "guest"],
  admin: ["member", "guest"],
  member: ["guest"],
  guest: [],
};

export function mayGive(own: Role, given: Role): boolean {
  return GIVES[own].includes(given);
}

export function mayGiveSome(own: Role): boolean {
  return GIVES[own].length > 0;
}

/** Guests read and comment, and are free. */
export function takesSeat(held: Role): boolean {
  return held !== "guest";
}
