// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { record } from "../lib/audit";

/** Change a ticket, which the audit log then tells of. */
export async function patchTicket(
  ctx: MutationCtx,
  actor: string,
  ticket: Id<"tickets">,
  fields: Partial<Omit<Doc<"tickets">, "_id" | "_creationTime">>,
): Promise<void> {
  const before = await ctx.db.get("tickets", ticket);
  await ctx.db.patch("tickets", ticket, fields);
  await record(ctx, actor, "tickets", before, await ctx.db.get("tickets", ticket));
}
