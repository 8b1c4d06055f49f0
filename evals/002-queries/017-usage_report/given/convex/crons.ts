// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";

const crons = cronJobs();

crons.daily("drop old events", { hourUTC: 2, minuteUTC: 0 }, internal.cleanup.dropOldEvents, {});
crons.daily("purge", { hourUTC: 3, minuteUTC: 0 }, internal.cleanup.purgeCustomers, {});

export default crons;
