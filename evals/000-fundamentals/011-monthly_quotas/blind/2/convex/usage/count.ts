// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, type Infer } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { limitAt } from "../accounts/limits";
import { fail } from "../lib/errors";
import { monthOf, nextMonth } from "../lib/months";
import type { counted } from "../schema";

type Counted = Infer<typeof counted>;

/**
 * Count images that are taken now for the account of a project, and return for what they counted.
 * Throw if they do not fit into what is left of the month.
 */
export async function countImages(
  ctx: MutationCtx,
  project: Doc<"projects">,
  images: number,
): Promise<Counted> {
  const now = Date.now();
  const account = await ctx.db.get("accounts", project.account);
  if (account === null) {
    throw fail("not_found");
  }
  const month = monthOf(now);
  const used = await usedIn(ctx, account._id, month);
  if (used + images > (await limitAt(ctx, account, now))) {
    throw new ConvexError({ code: "over_limit", resetsAt: nextMonth(now) });
  }
  const place = { account: account._id, month };
  await change(ctx, place, project._id, images);
  return place;
}

/** Give back what a batch, which ends now, did not tag. Batches of the time before are not counted. */
export async function giveBack(
  ctx: MutationCtx,
  batch: Doc<"batches">,
  tagged: number,
): Promise<void> {
  const left = batch.urls.length - tagged;
  if (batch.counted !== undefined && left > 0) {
    await change(ctx, batch.counted, batch.project, -left);
  }
}

/** Return how many images counted for an account in a month. */
export async function usedIn(
  ctx: QueryCtx,
  account: Id<"accounts">,
  month: string,
): Promise<number> {
  const row = await findTotal(ctx, { account, month });
  return row?.used ?? 0;
}

async function findTotal(
  ctx: QueryCtx,
  { account, month }: Counted,
): Promise<Doc<"accountMonths"> | null> {
  return await ctx.db
    .query("accountMonths")
    .withIndex("by_account_and_month", (q) => q.eq("account", account).eq("month", month))
    .unique();
}

async function change(
  ctx: MutationCtx,
  { account, month }: Counted,
  project: Id<"projects">,
  images: number,
): Promise<void> {
  const total = await findTotal(ctx, { account, month });
  if (total === null) {
    await ctx.db.insert("accountMonths", { account, month, used: images });
  } else {
    await ctx.db.patch("accountMonths", total._id, { used: total.used + images });
  }
  const part = await ctx.db
    .query("projectMonths")
    .withIndex("by_account_and_month_and_project", (q) =>
      q.eq("account", account).eq("month", month).eq("project", project),
    )
    .unique();
  if (part === null) {
    await ctx.db.insert("projectMonths", { account, month, project, used: images });
  } else {
    await ctx.db.patch("projectMonths", part._id, { used: part.used + images });
  }
}
