// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import { limitAt } from "../accounts/limits";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { monthOf, nextMonth } from "../lib/months";

/** What images counted for. */
export interface Charge {
  account: Id<"accounts">;
  month: string;
}

/** Count images of a project now, or refuse them all. */
export async function count(
  ctx: MutationCtx,
  project: Doc<"projects">,
  images: number,
): Promise<Charge> {
  const now = Date.now();
  const charge = { account: project.account, month: monthOf(now) };
  const account = await ctx.db.get("accounts", project.account);
  const limit = account === null ? 0 : await limitAt(ctx, account, now);
  if ((await sumUsed(ctx, charge)) + images > limit) {
    throw new ConvexError({ code: "over_limit", resetsAt: nextMonth(now) });
  }
  await change(ctx, charge, project._id, images);
  return charge;
}

/** Give images of a batch back; what began before there were limits did not count. */
export async function giveBack(
  ctx: MutationCtx,
  batch: Doc<"batches">,
  images: number,
): Promise<void> {
  if (batch.charge !== undefined && images > 0) {
    await change(ctx, batch.charge, batch.project, -images);
  }
}

/** Return how many images of a batch nobody has looked at to the end. */
export function countLeft(batch: Doc<"batches">): number {
  return batch.state === "running" ? batch.urls.length - batch.next : 0;
}

export async function listUsage(ctx: QueryCtx, charge: Charge): Promise<Doc<"usage">[]> {
  return await ctx.db
    .query("usage")
    .withIndex("by_account_month_and_project", (q) =>
      q.eq("account", charge.account).eq("month", charge.month),
    )
    .take(5000);
}

async function sumUsed(ctx: QueryCtx, charge: Charge): Promise<number> {
  return (await listUsage(ctx, charge)).reduce((sum, row) => sum + row.used, 0);
}

async function change(
  ctx: MutationCtx,
  charge: Charge,
  project: Id<"projects">,
  by: number,
): Promise<void> {
  const row = await ctx.db
    .query("usage")
    .withIndex("by_account_month_and_project", (q) =>
      q.eq("account", charge.account).eq("month", charge.month).eq("project", project),
    )
    .unique();
  if (row === null) {
    await ctx.db.insert("usage", { ...charge, project, used: by });
  } else {
    await ctx.db.patch("usage", row._id, { used: row.used + by });
  }
}
