// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import rateLimiter from "@convex-dev/rate-limiter/convex.config";
import { defineComponent } from "convex/server";
import { v } from "convex/values";

/** Counts what accounts use on each day (UTC) of what they may use. */
const quota = defineComponent("quota", { env: { PER_DAY: v.string() } });
quota.use(rateLimiter);
export default quota;
