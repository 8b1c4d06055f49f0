import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";

const crons = cronJobs();

// Every 90 minutes is more than an hour's minutes can say: on the hour, and on the half hour.
crons.cron("check vents", "0 */3 * * *", internal.greenhouse.record, {
  task: "check vents",
  house: "north",
});
crons.cron("check vents on the half hour", "30 1-22/3 * * *", internal.greenhouse.record, {
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
