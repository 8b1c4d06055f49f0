// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { limitAt } from "../accounts/limits";
import { fail, overLimit } from "../lib/errors";
import { monthOf, nextMonth } from "../lib/months";

/*
 * What counted is kept in sums: of each account and month in `usage`, and of each project in it in
 * `projectUsage`. Both are changed here alone.
 */

/** For whom images counted, and when. */
export type Counted = { account: Id<"accounts">; month: string };

/** Count images of a request that is taken now. Refuse it if they do not fit into what is left. */
export async function countImages(
  ctx: MutationCtx,
  project: Doc<"projects">,
  images: number,
): Promise<Counted> {
  const now = Date.now();
  const account = await ctx.db.get("accounts", project.account);
  if (account === null) {
    throw fail("bad_key");
  }
  const counted = { account: account._id, month: monthOf(now) };
  const sum = await findSum(ctx, counted);
  if ((sum?.used ?? 0) + images > (await limitAt(ctx, account, now))) {
    throw overLimit(nextMonth(now));
  }
  await add(ctx, counted, project._id, images);
  return counted;
}

/** Give images of a batch back that are not tagged. Old batches were not counted. */
export async function giveBack(
  ctx: MutationCtx,
  batch: Doc<"batches">,
  images: number,
): Promise<void> {
  if (batch.counted !== undefined && images > 0) {
    await add(ctx, batch.counted, batch.project, -images);
  }
}

/** Give all images of a batch back that were not looked at yet. */
export async function giveBackRest(ctx: MutationCtx, batch: Doc<"batches">): Promise<void> {
  await giveBack(ctx, batch, batch.urls.length - batch.next);
}

async function findSum(ctx: MutationCtx, counted: Counted): Promise<Doc<"usage"> | null> {
  return await ctx.db
    .query("usage")
    .withIndex("by_account_and_month", (q) =>
      q.eq("account", counted.account).eq("month", counted.month),
    )
    .unique();
}

async function add(
  ctx: MutationCtx,
  counted: Counted,
  project: Id<"projects">,
  images: number,
): Promise<void> {
  const { account, month } = counted;
  const sum = await findSum(ctx, counted);
  if (sum === null) {
    await ctx.db.insert("usage", { account, month, used: images });
  } else {
    await ctx.db.patch("usage", sum._id, { used: sum.used + images });
  }
  const part = await ctx.db
    .query("projectUsage")
    .withIndex("by_account_and_month_and_project", (q) =>
      q.eq("account", account).eq("month", month).eq("project", project),
    )
    .unique();
  if (part === null) {
    await ctx.db.insert("projectUsage", { account, month, project, used: images });
  } else {
    await ctx.db.patch("projectUsage", part._id, { used: part.used + images });
  }
}
