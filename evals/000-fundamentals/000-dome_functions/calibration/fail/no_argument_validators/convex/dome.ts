// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import {
  action,
  internalAction,
  internalMutation,
  internalQuery,
  mutation,
  query,
} from "./_generated/server";

export const status = query({ handler: async () => null });
export const reserve = mutation({ handler: async () => null });
export const slew = action({ handler: async () => null });
export const faults = internalQuery({ handler: async () => null });
export const park = internalMutation({ handler: async () => null });
export const calibrate = internalAction({ handler: async () => null });
