// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineApp } from "convex/server";
import purse from "./purse/convex.config";

const app = defineApp();
app.use(purse);
export default app;
