// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Infer } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { monthOf } from "../lib/months";
import type { plan } from "../schema";

type Plan = Infer<typeof plan>;

/** How many images each plan has in a month. */
export const IMAGES: Record<Plan, number> = { free: 10, starter: 20, pro: 300 };

/**
 * Return the plan that an account has at a moment. A smaller one that was chosen holds from the
 * beginning of the next month, though a job enters it only some time later.
 */
export function planAt(account: Doc<"accounts">, at: number): Plan {
  return account.next !== undefined && account.next.from <= at ? account.next.plan : account.plan;
}

/** Return how many images an account may have tagged in the month of `at`. */
export async function limitAt(
  ctx: QueryCtx,
  account: Doc<"accounts">,
  at: number,
): Promise<number> {
  const gifts = await ctx.db
    .query("gifts")
    .withIndex("by_account_and_month", (q) =>
      q.eq("account", account._id).eq("month", monthOf(at)),
    )
    .take(100);
  return gifts.reduce((sum, gift) => sum + gift.images, IMAGES[planAt(account, at)]);
}
