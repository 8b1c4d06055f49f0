// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const state = <State extends string>(name: State) => ({ state: v.literal(name) });

export const failed = v.object({ ...state("failed"), reason: v.string() });
export const dated = v.object({ ...state("dated"), ageMa: v.number() });

export default defineSchema({
  datings: defineTable({
    sample: v.string(),
    grams: v.number(),
    outcome: v.union(v.object(state("waiting")), dated, failed, v.object(state("withdrawn"))),
  }),
});
