// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";

const crons = cronJobs();
crons.interval("tell what happened", { hours: 24 }, internal.digest.send, {});
crons.interval("archive what is stale", { hours: 24 }, internal.publishing.archiveStale, {});
crons.interval("delete loose files", { hours: 24 }, internal.janitor.sweep, {});
crons.interval("empty the trash", { hours: 24 }, internal.trash.expire, {});
export default crons;
