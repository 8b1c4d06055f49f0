// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { record } from "../lib/audit";
import { fail } from "../lib/errors";

/** Enter a customer, whose address nobody else has. */
export async function enterCustomer(
  ctx: MutationCtx,
  actor: string,
  customer: { name: string; email: string; phone?: string },
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
  await record(ctx, actor, "customers", null, await ctx.db.get("customers", id));
  return id;
}
