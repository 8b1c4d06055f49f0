// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";

export async function getAccount(ctx: QueryCtx, text: string): Promise<Doc<"accounts">> {
  const id = ctx.db.normalizeId("accounts", text);
  const account = id && (await ctx.db.get("accounts", id));
  if (!account) throw new Error(`purse: no account ${text}`);
  return account;
}

export async function getHold(ctx: QueryCtx, text: string): Promise<Doc<"holds">> {
  const id = ctx.db.normalizeId("holds", text);
  const hold = id && (await ctx.db.get("holds", id));
  if (!hold) throw new Error(`purse: no hold ${text}`);
  return hold;
}

export function checkAmount(amount: bigint): void {
  if (amount <= 0n) throw new Error(`purse: the amount ${amount} is not greater than zero`);
}

/** Returns the use of a reference; null if it is free. Throws if it was used for something else. */
export async function findUse(
  ctx: QueryCtx,
  use: { reference: string; account: Doc<"accounts">; amount: bigint; isHold: boolean },
): Promise<Doc<"references"> | null> {
  const { reference, account, amount, isHold } = use;
  if (reference.length < 1 || reference.length > 64) {
    throw new Error("purse: a reference has 1 to 64 characters");
  }
  const used = await ctx.db
    .query("references")
    .withIndex("by_reference", (q) => q.eq("reference", reference))
    .unique();
  if (used === null) return null;
  const isSame = used.account === account._id && used.amount === amount;
  if (!isSame || (used.hold !== undefined) !== isHold) {
    throw new Error(`purse: the reference ${reference} is used`);
  }
  return used;
}
