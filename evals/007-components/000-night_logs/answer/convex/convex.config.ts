// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineApp } from "convex/server";
import logbook from "./logbook/convex.config";

const app = defineApp();
app.use(logbook, { name: "dome" });
app.use(logbook, { name: "spectrograph" });
export default app;
