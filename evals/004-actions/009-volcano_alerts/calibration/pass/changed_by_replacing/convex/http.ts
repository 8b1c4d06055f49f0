// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { alerts } from "./webhook";

const http = httpRouter();
http.route({ path: "/alerts", method: "POST", handler: alerts });
export default http;
