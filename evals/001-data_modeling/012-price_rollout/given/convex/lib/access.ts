// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Auth } from "convex/server";

/** Returns the name of the signed-in customer. */
export async function requireCustomer(ctx: { auth: Auth }): Promise<string> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) throw new ConvexError({ code: "signed_out" });
  return identity.subject;
}

/** Returns the name of the signed-in member of the staff. */
export async function requireStaff(ctx: { auth: Auth }): Promise<string> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity?.role !== "staff") throw new ConvexError({ code: "staff_only" });
  return identity.subject;
}
