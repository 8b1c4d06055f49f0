// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { cronJobs } from "convex/server";
import { api } from "./_generated/api";

const crons = cronJobs();

crons.interval("check vents", { hours: 7 }, api.greenhouse.record, {
  task: "check vents",
  house: "north",
});

crons.daily("water seedlings", { hourUTC: 4, minuteUTC: 45 }, api.greenhouse.record, {
  task: "water seedlings",
  house: "south",
});

crons.weekly(
  "rinse tanks",
  { dayOfWeek: "monday", hourUTC: 22, minuteUTC: 10 },
  api.greenhouse.record,
  { task: "rinse tanks", house: "north" },
);

crons.cron("survey crops", "20 5 1,15 * *", api.greenhouse.survey, { house: "south" });

export default crons;
