// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineApp } from "convex/server";
import countdown from "./countdown/convex.config";

const app = defineApp();
app.use(countdown, { httpPrefix: "/countdowns/", env: { SITE: "Kourou" } });
export default app;
