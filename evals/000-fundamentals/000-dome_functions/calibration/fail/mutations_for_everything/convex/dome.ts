import { internalMutation, internalQuery, mutation, query } from "./_generated/server";

export const status = query({ args: {}, handler: async () => null });
export const reserve = mutation({ args: {}, handler: async () => null });
export const slew = mutation({ args: {}, handler: async () => null });
export const faults = internalQuery({ args: {}, handler: async () => null });
export const park = internalMutation({ args: {}, handler: async () => null });
export const calibrate = internalMutation({ args: {}, handler: async () => null });
