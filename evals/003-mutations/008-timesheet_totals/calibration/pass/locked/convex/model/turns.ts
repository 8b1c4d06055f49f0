// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { MutationCtx } from "../_generated/server";

const last = new WeakMap<MutationCtx["db"], Promise<unknown>>();

/** Runs a step of a mutation when the steps before it have ended, however many were begun at once. */
export function inTurn<T>(ctx: MutationCtx, step: () => Promise<T>): Promise<T> {
  const turn = (last.get(ctx.db) ?? Promise.resolve()).then(step, step);
  last.set(ctx.db, turn);
  return turn;
}
