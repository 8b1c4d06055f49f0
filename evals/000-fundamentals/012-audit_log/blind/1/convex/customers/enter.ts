// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { logCreated } from "../audit/log";
import type { Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { fail } from "../lib/errors";

/** Enter a customer, whose address nobody else has. */
export async function enterCustomer(
  ctx: MutationCtx,
  customer: { name: string; email: string; phone?: string },
  actor: string,
): Promise<Id<"customers">> {
  const email = customer.email.trim().toLowerCase();
  if (!email.includes("@")) {
    throw fail("bad_email");
  }
  const holder = await ctx.db
    .query("customers")
    .withIndex("by_email", (q) => q.eq("email", email))
    .first();
  if (holder !== null) {
    throw fail("already_customer");
  }
  const id = await ctx.db.insert("customers", { ...customer, email });
  await logCreated(ctx, actor, "customers", id);
  return id;
}
