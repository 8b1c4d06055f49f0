// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { action, mutation, query } from "./_generated/server";

export const status = query({ args: {}, handler: async () => null });
export const reserve = mutation({ args: {}, handler: async () => null });
export const slew = action({ args: {}, handler: async () => null });

// Plain functions: the rest of the backend imports them.
export async function faults() {
  return null;
}

export async function park() {
  return null;
}

export async function calibrate() {
  return null;
}
