// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation } from "../_generated/server";
import { memberActor } from "../lib/audit";
import { requireMember } from "../lib/members";
import { enterCustomer } from "./enter";

/** Enter many customers. Those that cannot be entered are left out, and named with the reason. */
export const run = mutation({
  args: { customers: v.array(v.object({ name: v.string(), email: v.string() })) },
  returns: v.object({
    entered: v.number(),
    refused: v.array(v.object({ email: v.string(), code: v.string() })),
  }),
  handler: async (ctx, { customers }) => {
    const actor = memberActor((await requireMember(ctx))._id);
    const refused = [];
    for (const customer of customers.slice(0, 500)) {
      try {
        await enterCustomer(ctx, actor, customer);
      } catch (error) {
        if (!(error instanceof ConvexError)) {
          throw error;
        }
        refused.push({ email: customer.email, code: String(error.data.code) });
      }
    }
    return { entered: customers.length - refused.length, refused };
  },
});
