// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";

const crons = cronJobs();

crons.interval("try charges", { minutes: 1 }, internal.payments.charges.tryDue, {});
crons.interval("try refunds", { minutes: 2 }, internal.payments.refunds.tryDue, {});
crons.daily("drop old mails", { hourUTC: 3, minuteUTC: 20 }, internal.maintenance.dropOldMails, {});

export default crons;
