import type { Id } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";

export async function lent(ctx: QueryCtx, loan: Id<"loans">) {
  return await ctx.db.get("loans", loan);
}
