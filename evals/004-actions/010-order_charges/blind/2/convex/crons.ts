// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";

const crons = cronJobs();

crons.interval("take over payments", { minutes: 5 }, internal.maintenance.takeOverPayments, {});
crons.daily("drop old mails", { hourUTC: 3, minuteUTC: 20 }, internal.maintenance.dropOldMails, {});

export default crons;
