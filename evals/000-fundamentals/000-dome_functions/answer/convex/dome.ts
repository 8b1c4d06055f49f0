// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import {
  action,
  internalAction,
  internalMutation,
  internalQuery,
  mutation,
  query,
} from "./_generated/server";

export const status = query({
  args: {},
  handler: async () => null,
});

export const reserve = mutation({
  args: {},
  handler: async () => null,
});

export const slew = action({
  args: {},
  handler: async () => null,
});

export const faults = internalQuery({
  args: {},
  handler: async () => null,
});

export const park = internalMutation({
  args: {},
  handler: async () => null,
});

export const calibrate = internalAction({
  args: {},
  handler: async () => null,
});
