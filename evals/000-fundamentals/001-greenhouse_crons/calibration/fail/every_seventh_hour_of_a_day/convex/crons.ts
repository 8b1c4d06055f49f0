// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";

const crons = cronJobs();

crons.cron("check vents", "0 */7 * * *", internal.greenhouse.record, {
  task: "check vents",
  house: "north",
});

crons.daily("water seedlings", { hourUTC: 4, minuteUTC: 45 }, internal.greenhouse.record, {
  task: "water seedlings",
  house: "south",
});

crons.weekly(
  "rinse tanks",
  { dayOfWeek: "monday", hourUTC: 22, minuteUTC: 10 },
  internal.greenhouse.record,
  { task: "rinse tanks", house: "north" },
);

crons.cron("survey crops", "20 5 1,15 * *", internal.greenhouse.survey, { house: "south" });

export default crons;
