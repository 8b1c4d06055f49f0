// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

const [flat, pile, mixed] = [v.literal("flat"), v.literal("pile"), v.literal("mixed")];

export const weave = v.union(flat, pile, mixed);
export const unit = v.union(v.literal("cm"), v.literal("in"));
export const width = v.union(v.object({ value: v.number(), unit }), v.number());
