// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineApp } from "convex/server";

import quota from "./quota/convex.config";

const app = defineApp();
app.use(quota, { name: "mails", env: { PER_DAY: "10" } });
app.use(quota, { name: "texts", env: { PER_DAY: "5" } });
export default app;
