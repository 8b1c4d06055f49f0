// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import {
  action,
  internalAction,
  internalMutation,
  internalQuery,
  mutation,
  query,
} from "./_generated/server";

/** Where the dome stands. */
export const status = query({ args: {}, handler: async (_ctx, _args) => {} });

/** Reserves a night. */
export const reserve = mutation({ args: {}, handler: async (_ctx, _args) => {} });

/** Turns the dome. */
export const slew = action({ args: {}, handler: async (_ctx, _args) => {} });

/** What went wrong lately. */
export const faults = internalQuery({ args: {}, handler: async (_ctx, _args) => {} });

/** Notes that the dome is parked. */
export const park = internalMutation({ args: {}, handler: async (_ctx, _args) => {} });

/** Sets the clock. */
export const calibrate = internalAction({ args: {}, handler: async (_ctx, _args) => {} });
