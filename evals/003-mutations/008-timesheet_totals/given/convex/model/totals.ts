// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";

/** Adds to what is kept of a project. Negative numbers take away. */
export async function addToProject(
  ctx: MutationCtx,
  id: Id<"projects">,
  change: { minutes?: number; unbilled?: number },
): Promise<void> {
  const project = await ctx.db.get("projects", id);
  if (project === null) throw new ConvexError("no_project");
  await ctx.db.patch("projects", id, {
    minutes: project.minutes + (change.minutes ?? 0),
    unbilled: project.unbilled + (change.unbilled ?? 0),
  });
}

/** Adds to a client's month, which is made if it is not there. */
export async function addToMonth(
  ctx: MutationCtx,
  client: Id<"clients">,
  month: string,
  change: Partial<Pick<Doc<"months">, "minutes" | "billed" | "paid">>,
): Promise<void> {
  const row = await ctx.db
    .query("months")
    .withIndex("by_client_and_month", (q) => q.eq("client", client).eq("month", month))
    .unique();
  if (row === null) {
    await ctx.db.insert("months", { client, month, minutes: 0, billed: 0, paid: 0, ...change });
    return;
  }
  await ctx.db.patch("months", row._id, {
    minutes: row.minutes + (change.minutes ?? 0),
    billed: row.billed + (change.billed ?? 0),
    paid: row.paid + (change.paid ?? 0),
  });
}

/** Adds to what a client owes. */
export async function addToBalance(
  ctx: MutationCtx,
  id: Id<"clients">,
  amount: number,
): Promise<void> {
  const client = await ctx.db.get("clients", id);
  if (client === null) throw new ConvexError("no_client");
  await ctx.db.patch("clients", id, { balance: client.balance + amount });
}
