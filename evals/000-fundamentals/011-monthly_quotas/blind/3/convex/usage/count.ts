// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { limitAt } from "../accounts/limits";
import { fail } from "../lib/errors";
import { monthOf } from "../lib/months";

/** What images count for. */
export type Counted = { account: Id<"accounts">; month: string };

/**
 * Count images of a project at a moment, and return what they count for. Return null, and count
 * nothing, if they do not fit into what is left of the month.
 */
export async function countImages(
  ctx: MutationCtx,
  project: Doc<"projects">,
  images: number,
  at: number,
): Promise<Counted | null> {
  const account = await ctx.db.get("accounts", project.account);
  if (account === null) {
    throw fail("bad_key");
  }
  const counted = { account: account._id, month: monthOf(at) };
  const month = await getMonth(ctx, counted);
  if ((month?.used ?? 0) + images > (await limitAt(ctx, account, at))) {
    return null;
  }
  await change(ctx, counted, project._id, images);
  return counted;
}

/** How many documents `giveBack` changes at most. */
export const CHANGED = 2;

/** Give images of a batch back that will not be tagged. */
export async function giveBack(
  ctx: MutationCtx,
  batch: Doc<"batches">,
  images: number,
): Promise<void> {
  if (batch.counted !== undefined && images > 0) {
    await change(ctx, batch.counted, batch.project, -images);
  }
}

/** Return how many images of a batch are neither tagged nor given back. */
export function leftOf(batch: Doc<"batches">): number {
  return batch.state === "running" ? batch.urls.length - batch.next : 0;
}

async function getMonth(
  ctx: MutationCtx,
  { account, month }: Counted,
): Promise<Doc<"usedMonths"> | null> {
  return await ctx.db
    .query("usedMonths")
    .withIndex("by_account_and_month", (q) => q.eq("account", account).eq("month", month))
    .unique();
}

async function change(
  ctx: MutationCtx,
  counted: Counted,
  project: Id<"projects">,
  by: number,
): Promise<void> {
  const ofMonth = await getMonth(ctx, counted);
  if (ofMonth === null) {
    await ctx.db.insert("usedMonths", { ...counted, used: by });
  } else {
    await ctx.db.patch("usedMonths", ofMonth._id, { used: ofMonth.used + by });
  }
  const ofProject = await ctx.db
    .query("usedProjects")
    .withIndex("by_account_and_month_and_project", (q) =>
      q.eq("account", counted.account).eq("month", counted.month).eq("project", project),
    )
    .unique();
  if (ofProject === null) {
    await ctx.db.insert("usedProjects", { ...counted, project, used: by });
  } else {
    await ctx.db.patch("usedProjects", ofProject._id, { used: ofProject.used + by });
  }
}
