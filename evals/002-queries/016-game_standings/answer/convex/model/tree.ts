// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { DirectAggregate } from "@convex-dev/aggregate";
import { components } from "../_generated/api";
import type { Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

/** The order of an entry, and its name. */
export type Key = [order: number, name: string];

// A sorted set of keys for each board, which knows how many keys are below another.
const tree = new DirectAggregate<{ Namespace: string; Key: Key; Id: Id<"players"> }>(
  components.aggregate,
);

export async function insertKey(ctx: MutationCtx, board: string, key: Key, id: Id<"players">) {
  await tree.insert(ctx, { namespace: board, key, id });
}

export async function deleteKey(ctx: MutationCtx, board: string, key: Key, id: Id<"players">) {
  await tree.delete(ctx, { namespace: board, key, id });
}

export async function countKeys(ctx: QueryCtx, board: string): Promise<number> {
  return await tree.count(ctx, { namespace: board });
}

export async function countBelow(ctx: QueryCtx, board: string, key: Key): Promise<number> {
  const bounds = { upper: { key, inclusive: false } };
  return await tree.count(ctx, { namespace: board, bounds });
}

/** The key that has so many below it; there must be one. */
export async function keyAt(ctx: QueryCtx, board: string, below: number): Promise<Key> {
  const item = await tree.at(ctx, below, { namespace: board });
  return item.key;
}
