// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "../_generated/server";
import { scrub } from "./log";

/** Go on with the entries about an erased customer. */
export const run = internalMutation({
  args: { customer: v.id("customers") },
  returns: v.null(),
  handler: async (ctx, { customer }) => {
    await scrub(ctx, customer);
    return null;
  },
});
