// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

const ramp = v.object({ kind: v.literal("ramp"), toC: v.number(), perHour: v.number() });
const hold = v.object({ kind: v.literal("hold"), minutes: v.number() });
const gas = v.object({ gas: v.string(), fromC: v.number(), toC: v.number() });

export const atmosphere = v.union(gas, v.literal("neutral"), v.literal("oxidation"));
export const schedule = v.array(v.union(hold, ramp));
export const cones = v.optional(v.object({ guard: v.optional(v.string()), target: v.string() }));
export const piece = v.object({ coats: v.float64(), glaze: v.nullable(v.string()) });
export const shelf = v.object({ heightMm: v.float64(), pieces: v.record(v.string(), piece) });
