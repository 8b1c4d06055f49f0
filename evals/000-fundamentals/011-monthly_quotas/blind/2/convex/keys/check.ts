// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { fail } from "../lib/errors";
import { getProject } from "../projects/find";
import { hashKey } from "./hash";

/** Return the project of a key; null if the key is not good. */
export async function findByKey(ctx: QueryCtx, key: string): Promise<Doc<"projects"> | null> {
  const hash = await hashKey(key);
  const row = await ctx.db
    .query("keys")
    .withIndex("by_hash", (q) => q.eq("hash", hash))
    .unique();
  return row === null || row.revokedAt !== undefined ? null : await getProject(ctx, row.project);
}

/** Return the project of a key that is good. */
export async function requireKey(ctx: QueryCtx, key: string): Promise<Doc<"projects">> {
  const project = await findByKey(ctx, key);
  if (project === null) {
    throw fail("bad_key");
  }
  return project;
}
