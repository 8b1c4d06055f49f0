import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";

const crons = cronJobs();
crons.interval("slow", { minutes: 1 }, internal.runs.work, { ms: 150_000 });
export default crons;
