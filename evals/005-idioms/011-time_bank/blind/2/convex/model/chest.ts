// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { findMember } from "../lib/session";

/** The subject of the chest, which nobody signs in as. */
export const CHEST = "chest";

/** The chest has what those who left had, and owes what they owed. */
export async function findChest(ctx: QueryCtx) {
  return await findMember(ctx, CHEST);
}

/** Returns the id of the chest, which is made if there is none. */
export async function getChest(ctx: MutationCtx) {
  const chest = await findChest(ctx);
  if (chest !== null) return chest._id;
  return await ctx.db.insert("members", {
    subject: CHEST,
    name: "Chest",
    balance: 0,
    credit: Infinity,
    frozen: false,
  });
}
