// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineComponent } from "convex/server";
import { v } from "convex/values";

/** Counts what accounts use on each day (UTC) of what they may use. */
export default defineComponent("quota", { env: { PER_DAY: v.string() } });
