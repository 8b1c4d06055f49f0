// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

export type Attempt<T> = { ok: true; value: T } | { ok: false; reason: string };

export function refuse(reason: string): never {
  throw new ConvexError(reason);
}

/** The reason of a refusal. Other errors go on. */
export function reasonOf(error: unknown): string {
  if (error instanceof ConvexError) return String(error.data);
  throw error;
}

/** Makes a result of a refusal. */
export async function attempt<T>(work: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    return { ok: false, reason: reasonOf(error) };
  }
}
