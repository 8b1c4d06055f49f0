import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";

const crons = cronJobs();
crons.interval("often", { minutes: 90 }, internal.notes.store, { text: "often" });
crons.daily("daily", { hourUTC: 4, minuteUTC: 30 }, internal.notes.store, { text: "daily" });
crons.weekly("weekly", { dayOfWeek: "monday", hourUTC: 1, minuteUTC: 2 }, internal.notes.store, {
  text: "weekly",
});
crons.cron("by string", "15 3 1 * *", internal.notes.store, { text: "by string" });
export default crons;
