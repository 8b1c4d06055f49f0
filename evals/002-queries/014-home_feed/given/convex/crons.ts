// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";

const crons = cronJobs();
crons.interval("remove posts whose time is over", { minutes: 10 }, internal.janitor.sweep, {});
crons.cron("take back likes of bots", "15 3 * * *", internal.janitor.dropBots, {});
export default crons;
