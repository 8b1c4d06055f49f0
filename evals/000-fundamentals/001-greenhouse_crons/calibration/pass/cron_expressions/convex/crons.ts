// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";

const crons = cronJobs();
const { record, survey } = internal.greenhouse;

// minute, hour, day of month, month, day of week
crons.interval("check vents", { minutes: 7 * 60 }, record, { task: "check vents", house: "north" });
crons.cron("water seedlings", "45 4 * * *", record, { task: "water seedlings", house: "south" });
crons.cron("rinse tanks", "10 22 * * 1", record, { task: "rinse tanks", house: "north" });
crons.cron("survey crops", "20 5 1,15 * *", survey, { house: "south" });

export default crons;
