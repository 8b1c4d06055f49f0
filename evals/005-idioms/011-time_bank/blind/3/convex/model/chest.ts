// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { refuse } from "../lib/attempt";
import { findMember } from "../lib/session";

/*
 * The chest has what those who left had, and owes what they owed. It is made when it is needed first.
 */

export const CHEST = "chest";

export async function findChest(ctx: QueryCtx): Promise<Doc<"members"> | null> {
  return await findMember(ctx, CHEST);
}

export async function makeChest(ctx: MutationCtx): Promise<Id<"members">> {
  return await ctx.db.insert("members", {
    subject: CHEST,
    name: "Chest",
    balance: 0,
    credit: Infinity,
    frozen: false,
  });
}

export async function getChest(ctx: MutationCtx): Promise<Doc<"members">> {
  const chest = await findChest(ctx);
  if (chest !== null) return chest;
  return (await ctx.db.get("members", await makeChest(ctx))) ?? refuse("no chest");
}
