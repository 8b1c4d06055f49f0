import { cronJobs } from "convex/server";

import { internal } from "./_generated/api";

const crons = cronJobs();
crons.interval("count on", { hours: 1 }, internal.public.addNow, { name: "cron" });
export default crons;
