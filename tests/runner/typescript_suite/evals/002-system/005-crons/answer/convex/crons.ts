import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";

const crons = cronJobs();
crons.interval("clean up", { hours: 1 }, internal.index.cleanUp);
crons.weekly("report", { dayOfWeek: "monday", hourUTC: 8, minuteUTC: 30 }, internal.index.cleanUp);

export default crons;
