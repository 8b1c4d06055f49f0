// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";

const crons = cronJobs();

crons.daily("delete old bookings", { hourUTC: 4, minuteUTC: 10 }, internal.cleanup.run, {});
crons.interval("end web sales", { minutes: 1 }, internal.holds.endSales, {});

export default crons;
