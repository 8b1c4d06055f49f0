// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";

const crons = cronJobs();

crons.hourly("cancel stale orders", { minuteUTC: 20 }, internal.orders.service.cancelStale, {});

export default crons;
